"""`jnp.reshape` calls the method of a numpy array, which gives a numpy array."""

import jax
import jax.numpy as jnp
import numpy as np


def flatten(x, start, end):
    shape = tuple(x.shape)
    return reshaped(x, shape[:start] + (int(np.prod(shape[start:end])),) + shape[end:])


def reshaped(x, shape):
    return jnp.reshape(x, shape)


def border(video, color):
    video[:, 0] = color
    video[:, -1] = color


@jax.jit
def model(x):
    return flatten(x, 0, 2) * 2


def show(x):
    frames = jax.device_get(model(x))
    frames = flatten(frames * 0.5 + 0.5, 0, 2)
    border(frames[:4], 1.0)
    rows = jnp.reshape(np.zeros((4, 4)), (2, 8))
    rows[0] = 1.0
    return frames, rows


print(show(jnp.ones((2, 3, 4, 5))))
