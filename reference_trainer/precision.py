"""Number formats: what is kept, what is multiplied, and training as if numbers were int8.

Wrong: parameters in bfloat16. It has 8 bits: adding a thousandth of a weight to it changes nothing,
and training stops early. Right: parameters are float32 and stay so; what goes into matrix products
is cast where it is used, products are summed in float32, and so is everything that adds up many
numbers. (gotchas: zero-gradient, non-finite-value)
"""

from __future__ import annotations

from collections.abc import Mapping

import jax
import jax.numpy as jnp
from jax import lax

LARGEST = 127  # of int8, and of its negative side too: -128 is not used


def einsum32(subscripts: str, a: jax.Array, b: jax.Array) -> jax.Array:
    """`a` and `b`, of one type, multiplied in that type and summed in float32.

    The gradient of a float32 result is float32. With `preferred_element_type` alone the products
    of the backward pass would be float32 throughout, at half the speed or less on a GPU; a named
    algorithm holds in both directions.
    """
    algorithm = lax.DotAlgorithmPreset.BF16_BF16_F32 if a.dtype == jnp.bfloat16 else None
    return jnp.einsum(subscripts, a, b, precision=algorithm, preferred_element_type=jnp.float32)


def product(x: jax.Array, kernel: jax.Array) -> jax.Array:
    """`x`, ...D, times the float32 matrix `kernel`, DE: ...E in the type of `x`.

    Summed in float32 and written in the type of `x`: a layer that writes float32 and casts after
    it moves twice the bytes, and keeps them for the backward pass. The gradient of `x` has its
    type. That of `kernel`, a sum over rows and devices, is float32.
    """
    return einsum32(FORWARD, x, kernel) if x.dtype == kernel.dtype else _narrow(x, kernel)


FORWARD = "...d,de->...e"


@jax.custom_vjp
def _narrow(x: jax.Array, kernel: jax.Array) -> jax.Array:
    return _einsum_as(x.dtype, FORWARD, x, kernel.astype(x.dtype))


def _narrow_forward(
    x: jax.Array, kernel: jax.Array
) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    return _narrow(x, kernel), (x, kernel)


def _narrow_backward(
    saved: tuple[jax.Array, jax.Array], grad: jax.Array
) -> tuple[jax.Array, jax.Array]:
    x, kernel = saved
    x_grad = _einsum_as(x.dtype, "...e,de->...d", grad, kernel.astype(x.dtype))
    return x_grad, einsum32("...d,...e->de", x, grad)


_narrow.defvjp(_narrow_forward, _narrow_backward)


def _einsum_as(dtype: jnp.dtype, subscripts: str, a: jax.Array, b: jax.Array) -> jax.Array:
    """Summed in float32, written as `dtype`."""
    algorithm = lax.DotAlgorithmPreset.BF16_BF16_F32
    return jnp.einsum(subscripts, a, b, precision=algorithm, preferred_element_type=dtype)


def fake_quantise(x: jax.Array, axis: int) -> jax.Array:
    """What `x` becomes as int8, with one scale for all values along `axis`; the gradient of `x`.

    `axis` is the one that the following product sums over, so that the scales can be taken out of
    the sum. The largest value sets the scale: none lies outside the range, and the error is at
    most half a step (and then the rounding of `x`'s own type).

    Wrong, though often written: `scale = max(abs(x)) / 127` and `round(x / scale) * scale`. The
    derivative of `round` is 0, so the gradient is 0 at every element but the largest, which is
    reached by way of the scale: nothing else learns. And zeros give 0 / 0, NaN in all of the model.
    """
    wide = lax.stop_gradient(x).astype(jnp.float32)
    largest = jnp.max(jnp.abs(wide), axis=axis, keepdims=True)
    scale = jnp.maximum(largest / LARGEST, jnp.finfo(jnp.float32).tiny)
    nearest = jnp.round(wide / scale) * scale
    # A cast to bfloat16 and back may be left out by the compiler of a GPU; this may not.
    own = jnp.finfo(x.dtype)
    rounded = lax.reduce_precision(nearest, own.nexp, own.nmant).astype(x.dtype)
    # The added term is exactly 0 and its gradient is 1: straight through.
    # gotcha: shows[zero-gradient] `round` alone has the derivative 0
    return rounded + (x - lax.stop_gradient(x))


def aligned(size: int, multiple: int = 8) -> int:
    """The next multiple, as the units that multiply matrices want them."""
    return -(-size // multiple) * multiple


def padding_report(sizes: Mapping[str, int], multiple: int = 8) -> list[str]:
    """One line for each size that is no multiple, with the price of making it one."""
    return [
        f"{name} is {size}, not a multiple of {multiple}: {larger} would be "
        f"{larger / size - 1:.1%} more numbers, and usually less time"
        for name, size in sizes.items()
        if (larger := aligned(size, multiple)) != size
    ]
