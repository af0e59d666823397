"""Rows cut into chunks, for scans that hold one chunk's work in memory at a time.

Wrong: a length that must be a multiple of the chunk, or a shorter last chunk, which is one more
shape to compile. Right: zeros after the end, cut off again. (gotchas: varying-shape)
"""

from __future__ import annotations

import jax
import jax.numpy as jnp


def cut(x: jax.Array, chunk: int) -> jax.Array:
    """From BT... to CBL...: C chunks of L steps, with zeros after the end."""
    x = jnp.pad(x, [(0, 0), (0, -x.shape[1] % chunk)] + [(0, 0)] * (x.ndim - 2))
    return jnp.moveaxis(x.reshape(x.shape[0], -1, chunk, *x.shape[2:]), 1, 0)


def joined(x: jax.Array, steps: int) -> jax.Array:
    """From CBL... back to the first `steps` of BT...."""
    x = jnp.moveaxis(x, 0, 1)
    return x.reshape(x.shape[0], -1, *x.shape[3:])[:, :steps]
