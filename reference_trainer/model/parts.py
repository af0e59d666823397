"""Matrices and norms, of which the layers are made.

Wrong: a norm in the compute type: a mean of squares in bfloat16 keeps 8 bits of them.
Right: norms are float32, and give back the type that they were given.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from flax import nnx
from jax.ad_checkpoint import checkpoint_name

from reference_trainer.config import Config
from reference_trainer.precision import fake_quantise, product

PRODUCT = "product"  # for `compute.remat`


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
            kernel, x = fake_quantise(kernel, axis=0), fake_quantise(x, axis=-1)
        return checkpoint_name(product(x, kernel), PRODUCT)


class Norm(nnx.Module):
    """Root mean square norm with a scale for each column."""

    def __init__(self, width: int):
        self.scale = nnx.Param(jnp.ones(width))

    def __call__(self, x: jax.Array) -> jax.Array:
        return normed(x, self.scale[...])


def normed(x: jax.Array, scale: jax.Array) -> jax.Array:
    """`x` over its root mean square along the last axis, in float32 and back in the type of `x`."""
    wide = x.astype(jnp.float32)
    root = jax.lax.rsqrt(jnp.mean(wide * wide, axis=-1, keepdims=True) + 1e-6)
    return (wide * root * scale).astype(x.dtype)
