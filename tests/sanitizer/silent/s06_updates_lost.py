"""Weights in bfloat16: updates of less than a 256th of a weight are rounded away."""
# cause: never-moved

import jax
import jax.numpy as jnp
import numpy as np
import optax

rng = np.random.default_rng(0)
params = {"w": jnp.full((4, 1), 100.0, jnp.bfloat16), "bias": jnp.zeros((1,), jnp.bfloat16)}


def loss_of(params, x, y):
    return jnp.mean((x @ params["w"] + params["bias"] - y).astype(jnp.float32) ** 2)


optimizer = optax.adam(1e-2)
opt_state = optimizer.init(params)


@jax.jit
def step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_of)(params, x, y)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


for _ in range(12):
    x = rng.normal(size=(16, 4)).astype(jnp.bfloat16)
    params, opt_state, loss = step(params, opt_state, x, x.sum(1, keepdims=True))
