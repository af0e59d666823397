import time

import jax
import jax.numpy as jnp


@jax.jit
def step(w):
    for _ in range(20):
        w = jnp.tanh(w @ w)
    return w, w.mean()


w, end = jnp.eye(256), time.monotonic() + 4
while time.monotonic() < end:
    w, loss = step(w)
    if float(loss) > 1.0:  # ! host-read-every-step
        break
