import jax
import jax.numpy as jnp
import numpy as np


def with_default_key(shape, key=jax.random.key(0)):  # ! backend-started-too-early
    return jax.random.normal(key, shape)


class Dynamics:
    def step(self, x, gravity=jnp.array([0.0, -9.8])):  # ! backend-started-too-early
        return x + gravity


def without_jax(x, gravity=np.array([0.0, -9.8]), dtype=jnp.float32, activation=jnp.tanh):
    return activation(x + gravity).astype(dtype)


def in_the_body(x):
    def inner(y, scale=jnp.ones(3)):
        return y * scale

    return inner(x)
