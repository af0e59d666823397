"""The time of a first call, in which a function is compiled: that is done when it returns."""

import time

import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    return jnp.sin(x)


def precompile(n):
    start = time.perf_counter()
    step(jnp.zeros(n))
    elapsed = time.perf_counter() - start
    print(f"ready after {elapsed:.1f} s")


def first_step(x):
    start = time.time()
    y = step(x)
    print(f"Compilation of the step took {time.time() - start:.1f} s")
    return y
