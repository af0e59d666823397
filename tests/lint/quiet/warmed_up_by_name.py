"""The first run warms up, and nothing looks at it."""

import jax

key = jax.random.key(0)


@jax.jit
def sample(start, key):
    return start + jax.random.normal(key)


_ = sample(20.0, key)
print(sample(50.0, key))
