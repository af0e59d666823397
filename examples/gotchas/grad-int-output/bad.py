"""Differentiates a loss that is an integer.

Counting, `argmax` and comparisons give integers or booleans. They do not change a little when the
weights do, so their gradient would be zero.
"""

import jax
import jax.numpy as jnp


def loss(w, batch, labels):
    return jnp.sum(jnp.argmax(batch @ w, axis=-1) != labels)


w, labels = jnp.ones((3, 2)), jnp.array([0, 1, 1, 0])
gradients = jax.grad(loss)(w, jnp.ones((4, 3)), labels)  # ! grad-int-output
