"""Settings that come too late, and some that do not."""

import os

import jax
import jax.numpy as jnp

os.environ["JAX_DEFAULT_MATMUL_PRECISION"] = "float32"  # ! environment-set-too-late/
os.environ["JAX_ENABLE_X64"] = "0"  # what it is already
jax.config.update("jax_compilation_cache_dir", os.environ["CACHE"])  # ! compile-cache-unused/

x = jnp.ones(3)


def late():
    os.environ["XLA_FLAGS"] = "--xla_cpu_enable_fast_math=false"  # ! environment-set-too-late/ late


late()
jax.config.update("jax_enable_x64", True)  # ! x64-set-too-late/
y = jnp.ones(3)
