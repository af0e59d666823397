"""A tuple of pairs can be hashed."""

import functools

import jax


@functools.partial(jax.jit, static_argnames=("sizes",))
def kernel(x, sizes):
    return x


def impl(x, **sizes):
    return kernel(x, tuple(sizes.items())), kernel(x, tuple(sorted(sizes.items())))
