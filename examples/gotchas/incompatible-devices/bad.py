"""Hands arrays that are committed to different devices to one jitted call.

What was placed by `jax.device_put` with a device or a sharding stays there: JAX does not move it by
itself. Arrays that were never placed go where the others are.
"""

import jax
import jax.numpy as jnp

first, second = jax.devices()[:2]
params = jax.device_put(jnp.ones((3, 3)), first)
batch = jax.device_put(jnp.ones((4, 3)), second)
predicted = jax.jit(jnp.dot)(batch, params)  # ! incompatible-devices
