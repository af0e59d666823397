"""The mask of the padding is the wrong way round: all tokens are padding."""
# cause: all-masked

import jax
import jax.numpy as jnp
import numpy as np
import optax

rng = np.random.default_rng(0)


def model(params, x):
    return jnp.tanh(x @ params["hidden"]) @ params["out"]


params = {"hidden": jnp.asarray(rng.normal(size=(4, 8))), "out": jnp.asarray(rng.normal(size=(8, 1)))}
PAD = -1


def loss_of(params, x, y):
    keep = (y == PAD).astype(jnp.float32)
    errors = (model(params, x) - y) ** 2 * keep
    return errors.sum() / jnp.maximum(keep.sum(), 1.0) + 1e-3 * jnp.sum(params["out"] ** 2)


optimizer = optax.adam(1e-2)
opt_state = optimizer.init(params)


@jax.jit
def step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_of)(params, x, y)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


for _ in range(12):
    x = rng.normal(size=(16, 4))
    params, opt_state, loss = step(params, opt_state, x, x.sum(1, keepdims=True))
