"""What only eager callers leave out: traced calls give the size, and never ask for the debugging."""

import functools

import jax
import jax.numpy as jnp


def scores(chains, values, size=None, verbose=False):
    if size is None:
        size = int(chains.max()) + 1
    if verbose:
        print(float(values.mean()))
    return jax.ops.segment_sum(values, chains, size)


def sampled(x, steps, tolerance=None):
    if tolerance is None:
        return jax.lax.scan(lambda c, _: (c * 0.5, None), x, length=steps)[0]
    while float(jnp.abs(x).max()) > tolerance:
        x = x * 0.5
    return x


@functools.partial(jax.jit, static_argnames=("size", "verbose", "tolerance"))
def summary(chains, values, size=None, verbose=False, tolerance=None):
    values = sampled(values, 3, tolerance=tolerance)
    return scores(chains, values, size=size, verbose=verbose)


@jax.jit
def step(chains, values, options):
    count, width = values.shape
    return scores(chains, values, size=count) * width


def shown(chains, values):
    return scores(chains, values, verbose=True), sampled(values, 3, tolerance=1e-3)
