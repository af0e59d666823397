"""Traced are only partials that fill the size; where it is None, the function runs as Python."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


def neighbours(positions, cap=None):
    near = jnp.abs(positions[:, None] - positions[None]) < 1.0
    if cap is None:
        cap = int(near.sum(1).max())
        if near.any():
            print(cap)
    return jnp.argsort(~near, axis=1)[:, :cap]


@jax.jit
def update(positions, old):
    rebuild = partial(neighbours, cap=old.shape[1])
    return lax.cond(jnp.any(positions > 3.0), rebuild, lambda _: old, positions)


def run(positions):
    near = neighbours(positions)
    return update(positions, near)
