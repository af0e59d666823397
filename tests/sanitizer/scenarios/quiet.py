"""What is normal: a report on this has no findings."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

w = jnp.ones((64, 64))


@jax.jit
def step(weights, batch):
    return weights - 0.1 * batch.T @ batch


@functools.partial(jax.jit, static_argnames="train")
def forward(weights, batch, train):
    return batch @ weights * (2.0 if train else 1.0)


@jax.jit
def normalise(values):
    return values / 255


def buckets():
    weights = w
    for length in (8, 16, 32, 8, 16, 32):
        weights = step(weights, np.ones((length, 64), np.float32))


def last_batch_is_smaller():
    weights = w
    for length in (24, 24, 24, 17):
        weights = step(weights, np.ones((length, 64), np.float32))


def modes():
    for train in (True, True, False):
        forward(w, np.ones((8, 64), np.float32), train=train)


def other_types_from_other_lines():
    normalise(np.ones((4, 4), np.uint8))
    normalise(np.ones((4, 4), np.float32))


def make_step(rate):
    @jax.jit
    def inner(weights, batch):
        return weights - rate * batch.sum()

    return inner


def two_models():
    steps = [make_step(0.1), make_step(0.2)]
    for one in steps:
        one(w, jnp.ones(4))


def start_up():
    params = {}
    for name, size in (("a", 3), ("b", 5), ("c", 7), ("d", 9), ("e", 11), ("f", 13)):
        params[name] = jnp.zeros(size)
    return params


if __name__ == "__main__":
    start_up()
    buckets()
    last_batch_is_smaller()
    modes()
    other_types_from_other_lines()
    two_models()
