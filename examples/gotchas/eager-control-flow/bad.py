import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    return w - 0.1 * x


w = step(jnp.zeros(()), 1.0)
for number in range(4):
    rewards = jnp.full(8, float(number))
    total, sums = jax.lax.scan(lambda c, r: (0.9 * c + r, c), 0.0, rewards)  # ! eager-control-flow
    w = step(w, total)
