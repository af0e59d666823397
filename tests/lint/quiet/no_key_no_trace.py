"""The branch without a key is the one that no traced caller takes."""

import jax
import numpy as np


def mixup(batch, rng=None):
    if rng is None:
        w = np.random.beta(1.0, 1.0)
    else:
        w = jax.random.beta(rng, 1.0, 1.0)
    return w * batch


@jax.jit
def step(batch, key):
    return mixup(batch, rng=key)


@jax.jit
def fixed(m):
    """A seed that stands in the code gives the same numbers whenever it is drawn."""
    return m @ np.random.RandomState(1729).uniform(-1.0, 1.0, m.shape[0])
