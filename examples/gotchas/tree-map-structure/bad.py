"""Maps over two trees that have different keys or containers.

Often one of them was made by other code: gradients without the frozen parts, a state from a
checkpoint, a list where the other has a tuple.
"""

import jax
import jax.numpy as jnp

params = {"w": jnp.ones(3), "b": jnp.zeros(())}
gradients = {"w": jnp.ones(3)}
params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)  # ! tree-map-structure
