"""Arrays that are only timed."""

import time

import jax
import jax.numpy as jnp


def arrays(n):
    key = jax.random.key(0)
    first, second = jax.random.split(key)
    query = jax.random.normal(key, (n, n))
    return query, jax.random.normal(first, (n, n)), jax.random.normal(second, (n, n))


def benchmark_product(n):
    query, keys, values = arrays(n)
    start = time.perf_counter()
    (query @ keys @ values).block_until_ready()
    return time.perf_counter() - start


def latents(key, size):
    return jax.random.normal(key, size)


def resolutions():
    sizes = [(64, 64), (64, 96)]
    key = jax.random.key(0)
    seconds = {}
    for size in sizes:
        for _ in range(2):
            start = time.perf_counter()
            x = latents(key, (size[0], size[1]))
            jnp.sum(x).block_until_ready()
            seconds[size] = time.perf_counter() - start
    return seconds


print(benchmark_product(64), resolutions())
