"""Decorates a method with `jax.jit`, so that `self` is an argument.

The arguments of a jitted function are arrays, or trees of them, and an ordinary object is neither.
To make `self` static removes the error and brings a worse fault: [stale-self](stale-self.md).
"""

import jax
import jax.numpy as jnp


class Model:
    def __init__(self):
        self.w = jnp.ones(3)

    @jax.jit
    def predict(self, batch):
        return batch @ self.w


predicted = Model().predict(jnp.ones((4, 3)))  # ! jit-method-no-static-self
