"""Number formats: what is kept, and what is multiplied.

Wrong: parameters in bfloat16. It has 8 bits: adding a thousandth of a weight to it changes nothing.
Right: parameters are float32 and stay so; what goes into matrix products is cast where it is used,
and everything that adds up many numbers is float32. (gotcha: non-finite-value)
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax


def einsum32(subscripts: str, a: jax.Array, b: jax.Array, written: Any = jnp.float32) -> jax.Array:
    """`a` and `b`, of one type, multiplied in that type, summed in float32, and `written` as such.

    With `preferred_element_type` alone the products of the backward pass would be float32
    throughout, at half the speed or less on a GPU; a named algorithm holds in both directions.
    """
    algorithm = lax.DotAlgorithmPreset.BF16_BF16_F32 if a.dtype == jnp.bfloat16 else None
    return jnp.einsum(subscripts, a, b, precision=algorithm, preferred_element_type=written)


def product(x: jax.Array, kernel: jax.Array) -> jax.Array:
    """`x`, ...D, times the float32 matrix `kernel`, DE: ...E in the type of `x`.

    Summed in float32 and written in the type of `x`: a layer that writes float32 and casts after it
    moves twice the bytes. The gradient of `kernel`, a sum over rows and devices, is float32.
    """
    return einsum32(FORWARD, x, kernel) if x.dtype == kernel.dtype else _narrow(x, kernel)


FORWARD = "...d,de->...e"


@jax.custom_vjp
def _narrow(x: jax.Array, kernel: jax.Array) -> jax.Array:
    return einsum32(FORWARD, x, kernel.astype(x.dtype), x.dtype)


def _narrow_forward(
    x: jax.Array, kernel: jax.Array
) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    return _narrow(x, kernel), (x, kernel)


def _narrow_backward(
    saved: tuple[jax.Array, jax.Array], grad: jax.Array
) -> tuple[jax.Array, jax.Array]:
    x, kernel = saved
    x_grad = einsum32("...e,de->...d", grad, kernel.astype(x.dtype), x.dtype)
    return x_grad, einsum32("...d,...e->de", x, grad)


_narrow.defvjp(_narrow_forward, _narrow_backward)


def aligned(size: int, multiple: int = 8) -> int:
    """The next multiple."""
    return -(-size // multiple) * multiple
