"""Arrays that jitted functions take along."""

import jax
import jax.numpy as jnp
import numpy as np

table = np.load("table.npy")
small = jnp.ones((3, 3))
large = jnp.ones((1000, 1000))


@jax.jit
def loaded(i):
    return jnp.asarray(table)[i]  # ! large-constant-captured


def closure(x):
    weights = jax.random.normal(jax.random.key(0), (2048, 2048))
    apply = jax.jit(lambda x: weights @ x)  # ! large-constant-captured
    return apply(x)


@jax.jit
def of_small_size(x):
    return x @ small


@jax.jit
def as_an_argument(table, i):
    return table[i]


def eager(i):
    return table[i]


def of_unknown_size(n, x):
    weights = jnp.ones((n, n))
    return jax.jit(lambda x: weights @ x)(x)


def shape_only(x):
    gradient = jax.grad(lambda x: jnp.sum(large @ x))
    return gradient(x)
