import random
import time

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def noise(x):
    return x + np.random.normal(size=3)  # ! host-random-in-jit


@jax.jit
def coin(x):
    return x if random.random() > 0.5 else -x  # ! host-random-in-jit


def clock(x):
    return x + time.time()  # ! host-random-in-jit


scanned = jax.lax.scan(lambda c, x: (clock(c), x), 0.0, jnp.arange(3))


def host_noise(x):
    return x + np.random.normal(size=3)


@jax.jit
def callback(x):
    return jax.pure_callback(host_noise, jax.ShapeDtypeStruct((3,), jnp.float32), x)


def eager(x):
    start = time.time()
    return noise(x) + np.random.normal(), time.time() - start


@jax.jit
def keyed(x, key):
    return x + jax.random.normal(key, x.shape)


def batches(rng: np.random.Generator):
    while True:
        yield keyed(rng.normal(size=3), jax.random.key(random.randint(0, 10)))
