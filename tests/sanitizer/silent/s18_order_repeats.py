"""The loader is seeded anew in each epoch: the batches come in the same order."""
# cause: order-repeats

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
opt_state = optimizer.init(params)


@jax.jit
def step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_of)(params, x, y)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


data = rng.normal(size=(64, 4))
for _ in range(4):
    order = np.random.default_rng(1).permutation(64)
    for rows in order.reshape(4, 16):
        x = data[rows]
        params, opt_state, loss = step(params, opt_state, x, x.sum(1, keepdims=True))
