import flax.linen as nn
import jax
import jax.numpy as jnp

model = nn.Dropout(0.5, deterministic=False)
variables = model.init(jax.random.key(0), jnp.ones(3))
dropped = model.apply(variables, jnp.ones(3), rngs={"dropout": jax.random.key(1)})
