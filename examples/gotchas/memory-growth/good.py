import time
from itertools import count

import jax
import jax.numpy as jnp


@jax.jit
def step(w):
    return w * 0.99, jnp.tanh(w)


w, history, end = jnp.ones((64, 64)), [], time.monotonic() + 3
for turn in count():
    w, activations = step(w)
    if turn % 1000 == 0:
        history.append(float(activations.mean()))
    if time.monotonic() > end:
        break
