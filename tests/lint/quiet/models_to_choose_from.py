"""Each model to choose from, and each setting to time, starts from the same key."""

import time

import jax
import jax.numpy as jnp


def wide(size, key):
    return jax.random.normal(key, (size, 4 * size))


def narrow(size, key):
    return jax.random.normal(key, (size, size))


class Model:
    def __init__(self, make, size, key):
        first, second = jax.random.split(key)
        self.layers = [make(size, first), make(size, second)]


def all_models(size, names, key):
    makers = {"wide": wide, "narrow": narrow}
    if names == "all":
        return {name: Model(make, size, key) for name, make in makers.items()}
    return {name: Model(makers[name], size, key) for name in names}


def start(key, rate):
    return rate * jax.random.normal(key, (100,))


def benchmark(rates):
    key = jax.random.key(0)
    times = []
    for rate in rates:
        state = start(key, rate)
        begin = time.perf_counter()
        jnp.sum(state).block_until_ready()
        times.append(time.perf_counter() - begin)
    return times


RATES = (0.1, 0.2, 1.0)
print(benchmark(RATES), all_models(4, "all", jax.random.key(1)))
