"""Calls a gradient function with keyword arguments only.

`argnums` counts positional arguments; the default is the first. Keyword arguments are handed on,
and are never differentiated.
"""

import jax
import jax.numpy as jnp


def loss(params, batch):
    return jnp.mean((batch @ params) ** 2)


gradients = jax.grad(loss)(params=jnp.ones(3), batch=jnp.ones((4, 3)))  # ! grad-kwarg-only
