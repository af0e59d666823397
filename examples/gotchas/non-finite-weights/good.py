import time

import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    return w - jax.grad(lambda w: jnp.sqrt(jnp.abs(w @ x) + 1e-6).sum())(w)


w, x = jnp.ones((64, 64)), jnp.ones(64)
for turn in range(600):
    w = step(w, x if turn < 300 else 0 * x)
    time.sleep(0.001)
