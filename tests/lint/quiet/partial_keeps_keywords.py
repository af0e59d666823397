"""A keyword that a partial binds is still a parameter."""

import functools

import jax


def _mask(x, block, is_dkv):
    return x if is_dkv else x + block


forward = functools.partial(_mask, is_dkv=False)
masked = jax.jit(forward, static_argnames=["block", "is_dkv"])
