import jax
import jax.numpy as jnp


def loss(w, batch):
    return jnp.mean((batch @ w) ** 2)


gradients = jax.grad(loss)(jnp.ones(3), jnp.ones((4, 3)))
