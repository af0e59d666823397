# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: light
# ---

# + id="a"
import jax
import jax.numpy as jnp

params = {"w": jnp.ones((3, 2))}
jax.tree.map(jnp.shape, params)

# + [markdown] id="b"
# The shapes are shown above.

# + id="c"
jax.tree.map(jnp.zeros_like, params)
