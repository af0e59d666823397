"""Methods of an optimizer are given to transforms; nothing of the project is held by them."""

import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-3)
many = {"w": jnp.ones((4, 3))}
states = jax.vmap(tx.init)(many)
update = jax.jit(tx.update)
for _ in range(3):
    grads = {"w": jnp.ones(3)}
    params = {"w": jnp.ones(3)}
    updates, state = update(grads, tx.init(params), params)
