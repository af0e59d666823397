"""Draws of which nothing is kept: printed, checked, asked for their shape, or times nought."""

# +
import jax
import jax.numpy as jnp
import numpy as np

key = jax.random.key(0)
x = jax.random.normal(key, (10,))
print(type(x), x)

# +
rows = jax.random.normal(key, (100, 10))


def norm(rows):
    return rows - rows.mean(0)


assert np.allclose(norm(rows), jax.jit(norm)(rows), atol=1e-6)

# +
x = jax.random.uniform(key, (1000,), dtype=jnp.float32)
print(x.dtype)

# +
population = jax.random.uniform(key, (8, 3)) * 0.0
key, subkey = jax.random.split(key)
print(population + jax.random.normal(subkey, (8, 3)))


def shown_then_drawn(key):
    before = jax.random.normal(key, (3,))
    doubled = before * 2
    print(before, doubled.shape)
    key, subkey = jax.random.split(key)
    return key, jax.random.normal(subkey, (3,))
