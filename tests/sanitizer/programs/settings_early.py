"""The same settings in time: nothing to report."""

import os

os.environ["JAX_ENABLE_X64"] = "1"

import jax
import jax.numpy as jnp

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
jax.config.update("jax_compilation_cache_dir", os.environ["CACHE"])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)

x = jnp.ones(3)
assert jax.device_count() == 2
os.environ["HOME_OF_DATA"] = "/tmp"
