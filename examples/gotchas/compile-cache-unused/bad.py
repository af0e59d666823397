"""Switches on JAX's cache on disk, which then stores nothing.

Programs that compile in less than a second are left out by default, and so are those that were
compiled before the folder was set. The next start compiles everything again.
"""

import tempfile

import jax
import jax.numpy as jnp

jax.config.update("jax_compilation_cache_dir", tempfile.mkdtemp())  # ! compile-cache-unused


@jax.jit
def step(w):
    return jnp.tanh(w @ w)


w = jnp.eye(64)
for _ in range(10):
    w = step(w)
