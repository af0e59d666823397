"""Training as if numbers were int8, for an export in int8. (gotcha: zero-gradient)"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

LARGEST = 127  # of int8, and of its negative side too: -128 is not used


def fake_quantise(x: jax.Array, axis: int) -> jax.Array:
    """What `x` becomes as int8, with one scale for all values along `axis`; the gradient of `x`.

    `axis` is the one that the following product sums over, so that the scales can be taken out of
    the sum. The largest value sets the scale: the error is at most half a step.

    Wrong, though often written: `scale = max(abs(x)) / 127` and `round(x / scale) * scale`. The
    derivative of `round` is 0, so the gradient is 0 at every element but the largest, which is
    reached by way of the scale: nothing else learns. And zeros give 0 / 0, NaN in all of the model.
    """
    wide = lax.stop_gradient(x).astype(jnp.float32)
    scale = scales(wide, axis)
    nearest = jnp.round(wide / scale) * scale
    # A cast to bfloat16 and back may be left out by the compiler of a GPU; this may not.
    own = jnp.finfo(x.dtype)
    rounded = lax.reduce_precision(nearest, own.nexp, own.nmant).astype(x.dtype)
    # The added term is exactly 0 and its gradient is 1: straight through.
    # gotcha: shows[zero-gradient] `round` alone has the derivative 0
    return rounded + (x - lax.stop_gradient(x))


def scales(x: jax.Array, axis: int) -> jax.Array:
    """What whole numbers are multiplied by, for all values along `axis`; never 0."""
    largest = jnp.max(jnp.abs(x), axis=axis, keepdims=True)
    return jnp.maximum(largest / LARGEST, jnp.finfo(jnp.float32).tiny)


class Int8(NamedTuple):
    """A matrix: its columns' whole numbers, and what each column is a multiple of."""

    values: jax.Array  # int8, as the matrix
    scale: jax.Array  # float32, one for each column


def packed(params: Any) -> Any:
    """The parameters with each layer's matrices as Int8: what a model that was trained with
    `compute.quantise=int8` computes with already. Tables, norms and vectors stay float32.
    """

    def one(path: tuple[Any, ...], leaf: jax.Array) -> Any:
        if getattr(path[-1], "key", None) != "kernel":
            return leaf
        scale = scales(leaf, -2)
        return Int8(jnp.round(leaf / scale).astype(jnp.int8), scale)

    return jax.tree.map_with_path(one, params)


def unpacked(params: Any) -> Any:
    """Back to float32; the values are those that `fake_quantise` gives."""

    def one(leaf: Any) -> Any:
        return leaf.values * leaf.scale if isinstance(leaf, Int8) else leaf

    return jax.tree.map(one, params, is_leaf=lambda leaf: isinstance(leaf, Int8))
