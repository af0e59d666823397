"""The speed of a product for sizes that are written out: each size is a program of its own."""

import jax
import jax.numpy as jnp
from clocks import timed

SIZES = [(64, 128), (16, 256), (4, 512), (3, 640), (2, 1024), (1, 1280), (1, 2048)]

for count, size in SIZES:
    left = jnp.ones((count, size, size))
    right = jnp.ones((count, size, size))

    @jax.jit
    def multiply(left, right):
        return jax.lax.batch_matmul(left, right)

    print(multiply(left, right).shape)
    timed(multiply, left, right, name=f"product_{size}")
