"""Matrices, norms and chunks of rows, of which the layers are made.

Wrong: a norm in the compute type: a mean of squares in bfloat16 keeps 8 bits of them.

Wrong: a length that must be a multiple of the chunk, or a shorter last chunk, which is one more
shape to compile. Right: zeros after the end, cut off again. (gotchas: varying-shape)
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx
from jax.ad_checkpoint import checkpoint_name

from reference_trainer.config import Config
from reference_trainer.precision import product

PRODUCT = "product"  # for `compute.remat`


class Rows(NamedTuple):
    """What every layer must know about the rows, besides their values."""

    segments_BT: jax.Array
    positions_BT: jax.Array
    packed: bool  # a row may hold more than one document


class Linear(nnx.Module):
    """A matrix without a bias; trained as int8 where the configuration says so."""

    def __init__(
        self, rows: int, columns: int, config: Config, *, rngs: nnx.Rngs, scale: float = 1.0
    ):
        init = nnx.initializers.normal(scale * rows**-0.5)
        self.kernel = nnx.Param(init(rngs.params(), (rows, columns), jnp.float32))
        self.quantised = config.compute.quantise == "int8"

    def __call__(self, x: jax.Array) -> jax.Array:
        kernel = self.kernel[...]
        if self.quantised:
            from reference_trainer.extras.int8 import fake_quantise

            kernel, x = fake_quantise(kernel, axis=0), fake_quantise(x, axis=-1)
        return checkpoint_name(product(x, kernel), PRODUCT)


def residual(config: Config) -> float:
    """Smaller weights where layers add up, so that the sum keeps its size with any depth."""
    return (2 * config.model.depth) ** -0.5


class Norm(nnx.Module):
    """Root mean square norm with a scale for each column."""

    def __init__(self, width: int):
        self.scale = nnx.Param(jnp.ones(width))

    def __call__(self, x: jax.Array) -> jax.Array:
        return normed(x, self.scale[...])


# What takes no time beside a product is computed again on the way back, from its input: else the
# loop over layers keeps all it computed on the way, five arrays for a GELU. XLA may still merge it.
again = functools.partial(jax.checkpoint, prevent_cse=False)


@again
def normed(x: jax.Array, scale: jax.Array) -> jax.Array:
    """`x` over its root mean square along the last axis, in float32 and back in the type of `x`."""
    wide = x.astype(jnp.float32)
    root = jax.lax.rsqrt(jnp.mean(wide * wide, axis=-1, keepdims=True) + 1e-6)
    return (wide * root * scale).astype(x.dtype)


def filled(x_BT: jax.Array, chunk: int) -> jax.Array:
    """BT... with zeros after the end, up to a multiple of `chunk` steps."""
    return jnp.pad(x_BT, [(0, 0), (0, -x_BT.shape[1] % chunk)] + [(0, 0)] * (x_BT.ndim - 2))


def cut(x: jax.Array, chunk: int) -> jax.Array:
    """From BT... to CBL...: C chunks of L steps, with zeros after the end."""
    x = filled(x, chunk)
    return jnp.moveaxis(x.reshape(x.shape[0], -1, chunk, *x.shape[2:]), 1, 0)


def joined(x: jax.Array, steps: int) -> jax.Array:
    """From CBL... back to the first `steps` of BT...."""
    x = jnp.moveaxis(x, 0, 1)
    return x.reshape(x.shape[0], -1, *x.shape[3:])[:, :steps]
