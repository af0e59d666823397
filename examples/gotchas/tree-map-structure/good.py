import jax
import jax.numpy as jnp

params = {"w": jnp.ones(3), "b": jnp.zeros(())}
gradients = {"w": jnp.ones(3), "b": jnp.ones(())}
params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
