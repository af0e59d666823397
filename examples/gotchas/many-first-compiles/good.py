import jax
import jax.numpy as jnp

x = jnp.ones(3)
formula = jax.jit(lambda x, power: jnp.tanh(x) ** power + jnp.sin(x * power))
for power in range(150):
    y = formula(x, jnp.float32(power))
