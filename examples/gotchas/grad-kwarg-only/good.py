import jax
import jax.numpy as jnp


def loss(params, batch):
    return jnp.mean((batch @ params) ** 2)


gradients = jax.grad(loss)(jnp.ones(3), batch=jnp.ones((4, 3)))
