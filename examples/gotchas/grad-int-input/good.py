import jax
import jax.numpy as jnp


def loss(params, batch):
    return jnp.mean((batch @ params["w"]) ** 2)


params, step = {"w": jnp.ones(3)}, jnp.array(0)
gradients = jax.grad(loss)(params, jnp.ones((4, 3)))
