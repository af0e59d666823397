import flax.linen as nn
import jax
import jax.numpy as jnp

model = nn.BatchNorm(use_running_average=False)
variables = model.init(jax.random.key(0), jnp.ones((4, 3)))
normal, updates = model.apply(variables, jnp.ones((4, 3)), mutable=["batch_stats"])
variables = variables | updates
