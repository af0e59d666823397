"""A benchmark warms up each program, and hands it on to what times it."""

import functools

import jax
import jax.numpy as jnp
from timing import time_of


def bench_one(kernel, size, tile):
    x = jnp.ones((size, size))

    @functools.partial(jax.jit, static_argnames=["tile"])
    def compiled(x, tile):
        return jnp.tanh(x) * tile

    bound = functools.partial(compiled, x, tile)
    jax.block_until_ready(bound())
    return time_of(compute=lambda: bound(), tries=3)


def bench_bias(size):
    bias = jax.random.normal(jax.random.key(0), (size,))
    x = jax.random.normal(jax.random.key(1), (size,))
    added = jax.jit(lambda x: x + bias)
    jax.block_until_ready(added(x))
    return time_of(functools.partial(added, x))


def bench_scaled(x, scale):
    @functools.partial(jax.jit, static_argnames=["scale"])
    def scaled(x, scale):
        return x * scale

    jax.block_until_ready(scaled(x, scale))
    return time_of(lambda: scaled(x, scale))


def main(kernel, sizes):
    for size in sizes:
        print(bench_bias(size), bench_scaled(jnp.ones(size), 1 / size))
        for tile in (8, 16):
            print(bench_one(kernel, size, tile))
