"""Contexts of JAX that change what code within them gives."""

CONCRETE = "#concrete"  # `jax.disable_jit()`: nothing is traced, arrays have their values
