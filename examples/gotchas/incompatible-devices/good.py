import jax
import jax.numpy as jnp

first, second = jax.devices()[:2]
params = jax.device_put(jnp.ones((3, 3)), second)
batch = jax.device_put(jnp.ones((4, 3)), second)
predicted = jax.jit(jnp.dot)(batch, params)
