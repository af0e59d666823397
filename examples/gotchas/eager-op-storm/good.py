import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def score(rewards):
    return jnp.cumsum(rewards * 0.99)[-1]


total = score(jnp.zeros(32))
for length in range(20, 30):
    rewards = np.zeros(32, np.float32)
    rewards[:length] = 1.0
    total += score(rewards)
