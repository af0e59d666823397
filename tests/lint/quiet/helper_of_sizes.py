"""A helper that only computes gives numbers where it is given numbers, and arrays elsewhere."""

import jax
import jax.numpy as jnp


def cdiv(a, b):
    return (a + b - 1) // b


def align_to(x, a):
    if a is None:
        raise ValueError(f"no step for {x}")
    return cdiv(x, a) * a


def packing(dtype):
    return 4 // jnp.dtype(dtype).itemsize


def at_least(n, least=1):
    return max(n, least)


@jax.jit
def padded(x, length):
    rows, width = x.shape
    wide = align_to(width, 128)
    if wide != width:
        x = jnp.pad(x, ((0, 0), (0, wide - width)))
    pages = cdiv(length, 16)
    step = min(align_to(rows, 8), at_least(packing(x.dtype)))
    return x.reshape(-1, align_to(wide, 128) // step), align_to(pages, 8)


print(padded(jnp.ones((3, 5)), 7))
