import flax.linen as nn
import jax
import jax.numpy as jnp

model = nn.Dense(3)
batch = jnp.ones((2, 5))
variables = model.init(jax.random.key(0), batch)
out = model.apply(variables, batch)
