"""Changes the shape or dtype of the loop's state from one turn to the next.

The body is compiled once, for one type of state. Where `bfloat16` meets `float32`, the sum is
`float32`, so that the second turn would be another program.
"""

import jax
import jax.numpy as jnp


def body(total, x):
    total = total + x
    return total, total


first = jnp.zeros((), jnp.bfloat16)
last, sums = jax.lax.scan(body, first, jnp.ones(5, jnp.float32))  # ! scan-carry-type
