import jax
import jax.numpy as jnp


def body(total, x):
    total = total + x
    return total, total


first = jnp.zeros((), jnp.float32)
last, sums = jax.lax.scan(body, first, jnp.ones(5, jnp.float32))
