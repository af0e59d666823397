"""Puts keys of different types into one dict of a tree, such as `int` and `str`.

JAX sorts the keys of a dict, so that the order in which they came does not matter; keys of two
types cannot be sorted.
"""

import jax
import jax.numpy as jnp

params = {"embed": jnp.ones(3), 0: jnp.ones(3)}
doubled = jax.tree.map(lambda x: 2 * x, params)  # ! mixed-dict-keys
