"""Indices beyond the end, and those that are not."""

import jax
import jax.numpy as jnp
import numpy as np

STEPS = 10


def one_too_many():
    table = jnp.ones((4, 2))
    return table[4]  # ! out-of-bounds-index


def from_the_end():
    return jnp.arange(3.0)[-4]  # ! out-of-bounds-index


@jax.jit
def counted_from_one(x):
    betas = jnp.linspace(0.0, 1.0, STEPS)
    for step in range(1, STEPS + 1):
        x = x * betas[step]  # ! out-of-bounds-index
    return x


@jax.jit
def lost(values, edges):
    slot = jnp.searchsorted(edges, values)
    return jnp.zeros(edges.shape[0], jnp.int32).at[slot].add(1)  # ! out-of-bounds-index


@jax.jit
def not_the_last(x):
    steps = jnp.zeros(STEPS)
    for step in range(STEPS):
        if step + 1 < STEPS:
            steps = steps.at[step + 1].set(x)
    return steps


def last():
    return jnp.ones((4, 2))[3] + jnp.arange(3.0)[-3]


@jax.jit
def counted_from_zero(x):
    betas = jnp.linspace(0.0, 1.0, STEPS)
    for step in range(STEPS):
        x = x * betas[step]
    return x


@jax.jit
def one_more_bin(values, edges):
    slot = jnp.searchsorted(edges, values)
    return jnp.zeros(edges.shape[0] + 1, jnp.int32).at[slot].add(1)


@jax.jit
def best(scores, table):
    return table[jnp.argmax(scores)]


def on_the_host():
    try:
        return np.ones(3)[3]
    except IndexError:
        return None


def of_unknown_size(x):
    return x[7]


def slices():
    return jnp.arange(3)[1:9]


edges, values = jnp.linspace(0.0, 1.0, 5), jnp.ones(3)
wrong = one_too_many(), from_the_end(), counted_from_one(1.0), lost(values, edges)
right = last(), not_the_last(1.0), counted_from_zero(1.0), one_more_bin(values, edges), best(values, jnp.ones(3))


@jax.jit
def backwards(noise):
    table = jnp.linspace(0.0, 1.0, 10)
    total = noise
    for step in range(10, 0, -1):
        total = total + table[step]  # ! out-of-bounds-index
    return total


@jax.jit
def backwards_from_the_last(noise):
    table = jnp.linspace(0.0, 1.0, 10)
    total = noise
    for step in range(9, -1, -1):
        total = total + table[step]
    return total


backwards(jnp.ones(3))
backwards_from_the_last(jnp.ones(3))


@jax.jit
def on_a_grid(field, like):
    i, j = jnp.meshgrid(jnp.arange(like.shape[0]), jnp.arange(like.shape[1]), indexing="ij")
    return field[i, j] + like[i, j]  # ! out-of-bounds-index


on_a_grid(jnp.ones((4, 5)), jnp.ones((8, 5)))
from_one = jnp.ones(8)[jnp.arange(1, 9)]  # ! out-of-bounds-index
from_one_on = jnp.ones(9)[jnp.arange(1, 9)]


@jax.jit
def looked_up(values, edges, prices):
    return prices[jnp.searchsorted(edges, values)]


looked_up(jnp.ones(3), jnp.linspace(0.0, 1.0, 5), jnp.ones(5))
