import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(momentum, gradient):
    if momentum is None:
        return gradient
    return 0.9 * momentum + gradient


@jax.jit
def pair(state, x):
    mean, count = state
    return mean + x, count + 1


@jax.jit
def masked(x, mask):
    return x if mask is None else x * mask


def none_first():
    momentum = None
    for _ in range(100):
        momentum = step(momentum, np.ones(3, np.float32))  # ! changing-structure
    return momentum


def list_first():
    state = [np.zeros(3, np.float32), np.int32(0)]
    for _ in range(100):
        state = pair(state, np.ones(3, np.float32))  # ! changing-structure
    return state


def zeros_first():
    momentum = jnp.zeros(3)
    for _ in range(100):
        momentum = step(momentum, np.ones(3, np.float32))
    return momentum


def tuple_first():
    state = (np.zeros(3, np.float32), np.int32(0))
    for _ in range(100):
        state = pair(state, np.ones(3, np.float32))
    return state


def never_a_mask():
    for _ in range(100):
        print(masked(np.ones(3, np.float32), None))
