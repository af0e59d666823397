import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def add(total, x):
    return total + jnp.sum(x)


@jax.jit
def scaled(x, scale):
    return x * scale


def sums(xs):
    total = 0.0
    for _ in range(100):
        total = add(total, np.ones(3, np.float32))  # ! weak-type-argument
    return total


def starts_with_an_array():
    total = jnp.zeros((), jnp.float32)
    for _ in range(100):
        total = add(total, np.ones(3, np.float32))
    return total


def always_a_number(xs):
    for _ in range(100):
        print(scaled(np.ones(3, np.float32), 0.5))


def always_strong():
    scale = jnp.array(1.0)
    for _ in range(100):
        scale = jnp.float32(0.5) * scale
        print(scaled(np.ones(3, np.float32), scale))
