"""The decay of the average of the weights is 0: it is a copy."""
# cause: twins

import jax
import jax.numpy as jnp
import numpy as np
import optax

rng = np.random.default_rng(0)


def model(params, x):
    return jnp.tanh(x @ params["hidden"]) @ params["out"]


params = {"hidden": jnp.asarray(rng.normal(size=(4, 8))), "out": jnp.asarray(rng.normal(size=(8, 1)))}


def loss_of(params, x, y):
    return jnp.mean((model(params, x) - y) ** 2)


state = {"params": params, "average": params}


@jax.jit
def step(state, x, y):
    grads = jax.grad(loss_of)(state["params"], x, y)
    params = jax.tree.map(lambda p, g: p - 0.01 * g, state["params"], grads)
    average = jax.tree.map(lambda a, p: 0.0 * a + 1.0 * p, state["average"], params)
    return {"params": params, "average": average}


for _ in range(12):
    x = rng.normal(size=(16, 4))
    state = step(state, x, x.sum(1, keepdims=True))
