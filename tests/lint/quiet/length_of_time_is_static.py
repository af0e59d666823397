"""`numpy.timedelta64` makes a number, which can be hashed."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@partial(jax.jit, static_argnames="step")
def forecast(state, step):
    return state + step / np.timedelta64(1, "h")


hours = 6
state = forecast(jnp.ones(3), step=np.timedelta64(1, "h") * hours)
print(forecast(state, np.timedelta64(2, "h")))
