"""Differentiates a loss that is an array: one number for each example of the batch.

A gradient is of one number. An array of the shape `(1,)` is not one either.
"""

import jax
import jax.numpy as jnp


def loss(w, batch):
    return (batch @ w) ** 2


gradients = jax.grad(loss)(jnp.ones(3), jnp.ones((4, 3)))  # ! grad-non-scalar
