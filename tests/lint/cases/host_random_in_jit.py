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


@jax.jit
def noisy_check(state, x):
    key = jax.random.key(int(time.time()))  # ! host-random-in-jit
    return state.apply_fn(state.params, x, training=True, rngs={"dropout": key})


@jax.jit
def drawn_check(state, x):
    key = jax.random.key(int(time.time()))  # ! host-random-in-jit
    y = state.apply_fn(state.params, x, rngs={"dropout": key})
    return y + jax.random.normal(key, y.shape)


@jax.jit
def step(state, x):
    def loss(params):
        keys = {"dropout": jax.random.key(int(time.time()))}  # ! host-random-in-jit
        return state.apply_fn(params, x, rngs=keys).mean()

    def other_loss(params):
        key = jax.random.key(int(time.time()))  # ! host-random-in-jit
        return state.apply_fn(params, x, rngs={"dropout": key}).mean()

    return jax.grad(loss)(state.params), jax.grad(other_loss)(state.params)


@jax.jit
def named_stream(state, x):
    key = jax.random.key(int(time.time()))  # ! host-random-in-jit
    return state.apply_fn(state.params, x, rngs={"noise": key})


@jax.jit
def timed(xs):
    started = time.time()  # ! host-random-in-jit

    def add(total, x):
        return total + x * started, None

    return jax.lax.scan(add, 0.0, xs)[0]


@jax.jit
def read_here_too(x):
    last = time.time()  # ! host-random-in-jit

    def report():
        nonlocal last
        last = 0.0

    jax.debug.callback(report)
    return x + last
