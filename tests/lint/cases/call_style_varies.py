import jax
import numpy as np


@jax.jit
def step(x, rate):
    return x * rate


@jax.jit
def other(x, rate):
    return x * rate


def in_two_ways():
    x = np.ones(3, np.float32)
    x = step(x, np.float32(0.1))
    return step(x, rate=np.float32(0.1))  # ! call-style-varies


def in_one_way():
    x = np.ones(3, np.float32)
    x = other(x, rate=np.float32(0.1))
    return other(x, rate=np.float32(0.2))


def not_compiled():
    def plain(x, rate):
        return x * rate

    return plain(2.0, 3.0) + plain(2.0, rate=3.0)
