"""A restored run keeps the weights and begins with a new optimizer state."""
# cause: restarts

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


for number in range(12):
    if number == 6:  # as after a restart from a checkpoint of the weights
        opt_state = optimizer.init(params)
    x = rng.normal(size=(16, 4))
    params, opt_state, loss = step(params, opt_state, x, x.sum(1, keepdims=True))
