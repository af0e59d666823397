import jax
import jax.numpy as jnp

params = {"embed": jnp.ones(3), "0": jnp.ones(3)}
doubled = jax.tree.map(lambda x: 2 * x, params)
