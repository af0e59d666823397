"""Number formats: what is kept, and what is multiplied.

Wrong: parameters in bfloat16. It has 8 bits: adding a thousandth of a weight to it changes nothing.
Right: parameters are float32 and stay so; what goes into matrix products is cast where it is used,
and everything that adds up many numbers is float32. (gotcha: non-finite-value)
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp


def einsum32(subscripts: str, a: jax.Array, b: jax.Array, written: Any = jnp.float32) -> jax.Array:
    """`a` and `b`, of one type, multiplied in that type, summed in float32, and `written` as such.

    Wrong: `preferred_element_type` alone: the products of the backward pass multiply float32.
    Wrong: a named algorithm (`lax.DotAlgorithmPreset`), which holds in both directions, and takes
    the product from cuBLAS: a step of GPT-2's shape was 9 % slower on an H100 (jax 0.11.2).
    Right: the backward pass is written down, with products in the type of the inputs.

    Every index stands in two of the three.
    """
    if a.dtype == jnp.float32:
        return _product(subscripts, a, b, written)
    return _narrow(subscripts, written, a, b)


def _product(subscripts: str, a: jax.Array, b: jax.Array, written: Any) -> jax.Array:
    return jnp.einsum(subscripts, a, b, preferred_element_type=written)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _narrow(subscripts: str, written: Any, a: jax.Array, b: jax.Array) -> jax.Array:
    return _product(subscripts, a, b.astype(a.dtype), written)


def _narrow_forward(
    subscripts: str, written: Any, a: jax.Array, b: jax.Array
) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    return _narrow(subscripts, written, a, b), (a, b)


def _narrow_backward(
    subscripts: str, written: Any, saved: tuple[jax.Array, jax.Array], grad: jax.Array
) -> tuple[jax.Array, jax.Array]:
    del written
    a, b = saved
    grad, left, right, out = grad.astype(a.dtype), *subscripts.replace("->", ",").split(",")
    a_grad = _product(f"{out},{right}->{left}", grad, b.astype(a.dtype), a.dtype)
    return a_grad, _product(f"{left},{out}->{right}", a, grad, b.dtype)


_narrow.defvjp(_narrow_forward, _narrow_backward)


def product(x: jax.Array, kernel: jax.Array) -> jax.Array:
    """`x`, ...D, times the float32 matrix `kernel`, DE: ...E in the type of `x`.

    Summed in float32 and written in the type of `x`: a layer that writes float32 and casts after it
    moves twice the bytes. The gradient of `kernel`, a sum over rows and devices, is float32.
    """
    return _narrow("...d,de->...e", x.dtype, x, kernel) if x.dtype != kernel.dtype else x @ kernel


def aligned(size: int, multiple: int = 8) -> int:
    """The next multiple."""
    return -(-size // multiple) * multiple
