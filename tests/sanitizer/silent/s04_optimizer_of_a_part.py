"""The optimizer was given one part of the weights; the other one goes through."""
# cause: never-moved

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


optimizer = optax.adam(1e-2)
opt_state = optimizer.init({"out": params["out"]})


@jax.jit
def step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_of)(params, x, y)
    updates, opt_state = optimizer.update({"out": grads["out"]}, opt_state)
    return params | {"out": params["out"] + updates["out"]}, opt_state, loss


for _ in range(12):
    x = rng.normal(size=(16, 4))
    params, opt_state, loss = step(params, opt_state, x, x.sum(1, keepdims=True))
