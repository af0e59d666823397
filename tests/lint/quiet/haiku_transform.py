"""`hk.transform` traces nothing by itself: `apply` is given Python values too."""

import haiku as hk
import jax.numpy as jnp


def forward(x, is_training: bool, rows: int, size):
    if is_training:
        return hk.Linear(3)(x)
    return x + jnp.zeros((rows, size))


net = hk.transform(forward)
