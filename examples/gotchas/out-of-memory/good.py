import jax
import jax.numpy as jnp

# The sum of each row of the same matrix, of which one row is there at a time.
rows = jax.lax.map(lambda number: jnp.ones(1 << 20).sum() + 0 * number, jnp.arange(4))
