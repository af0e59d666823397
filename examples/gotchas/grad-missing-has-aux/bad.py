"""Differentiates a function that returns a loss and something else, without saying so.

`jax.grad` wants one number. With `has_aux=True` the first of the two is differentiated and the
other is handed back.
"""

import jax
import jax.numpy as jnp


def loss(w, batch):
    predicted = batch @ w
    return jnp.mean(predicted**2), predicted


gradients = jax.grad(loss)(jnp.ones(3), jnp.ones((4, 3)))  # ! grad-missing-has-aux
