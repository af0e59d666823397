"""Statements that look at arrays, or show what an operation does: there is nothing to bind."""

import jax
import jax.numpy as jnp


def check_structure(trees, args, seen):
    jax.tree.map(lambda *xs: None, args, seen)
    jax.tree.map(jnp.shape, trees)
    jax.tree.map(lambda x: x.shape, trees)
    jax.tree.map(lambda x: (x.shape, x.dtype), trees)


def division_by_zero_is_no_error():
    jnp.divide(0.0, 0.0)
    jnp.log(-1.0)
