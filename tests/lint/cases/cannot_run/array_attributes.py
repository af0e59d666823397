"""Attributes of other libraries that arrays of JAX do not have."""

import jax
import jax.numpy as jnp
import numpy as np


def set_without_an_index(rows):
    products = jax.vmap(lambda row: jnp.outer(row, row))(rows)
    return products.set(0)  # ! cannot-run


def habits_of_others(x):
    y = jnp.sin(x)
    z = y.detach()  # ! cannot-run
    return z.numpy()


def asked_before(x):
    y = jnp.sin(x)
    return y.numpy() if hasattr(y, "numpy") else np.asarray(y)


def set_of_names(x):
    names = set()
    names.add(x)
    return jnp.sin(x).at[0].set(1), names


set_without_an_index(jnp.ones((3, 3)))
habits_of_others(jnp.ones(3))
asked_before(jnp.ones(3))
set_of_names(jnp.ones(3))


def of_what_is_mapped(mask, scores):
    set_rows = jax.vmap(lambda row, places: row.at[places].set(scores))
    return set_rows(mask, jnp.argsort(scores))


def of_rows(rows):
    return jax.vmap(lambda row: row.at[0].add(1.0).at[1].multiply(2.0))(rows)
