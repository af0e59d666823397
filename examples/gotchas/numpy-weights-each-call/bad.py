"""Calls a jitted function with large NumPy arrays that never change.

Arguments that are not on the device yet are copied there at every call.
"""

import jax
import numpy as np


@jax.jit
def predict(weights, batch):
    return batch @ weights


weights = np.ones((1024, 512), np.float32)
for number in range(10):
    batch = np.full((8, 1024), number, np.float32)
    predicted = predict(weights, batch)  # ! numpy-weights-each-call
