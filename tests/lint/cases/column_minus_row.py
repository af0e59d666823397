"""Differences of rows and columns that are meant, and those that are not."""

import jax.numpy as jnp
from jax import nn


def squared_error(w, x, y):
    return jnp.mean((x @ w - y) ** 2)  # ! column-minus-row


def absolute_error(w, x, y):
    return jnp.abs(y - nn.tanh(x @ w)).mean()  # ! column-minus-row


def flat(w, x, y):
    return jnp.mean(((x @ w)[:, 0] - y) ** 2)


def all_pairs(y):
    return jnp.abs(y[:, None] - y).sum()


def pairs_by_reshape(y):
    return jnp.abs(y.reshape(-1, 1) - y).sum()


def one_number(w, x):
    return x @ w - jnp.ones(1)


w, x, y = jnp.ones((3, 1)), jnp.ones((4, 3)), jnp.ones(4)
wrong = squared_error(w, x, y), absolute_error(w, x, y)
right = flat(w, x, y), all_pairs(y), pairs_by_reshape(y), one_number(w, x)
