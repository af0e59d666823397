import flax.linen as nn
import jax
import jax.numpy as jnp

model = nn.Dense(2)
params = model.init(jax.random.key(0), jnp.ones((4, 3)))["params"]
predicted = model.apply({"params": params}, jnp.ones((4, 3)))
