"""What stands under `if False:` is not run."""

import time

import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    return jnp.sin(x)


def compare(x):
    if False:
        start = time.time()
        for _ in range(1000):
            step(x)
        print("each call", time.time() - start)
    return step(x)
