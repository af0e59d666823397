"""Differentiates with regard to something that holds integers.

Usually a step counter or a table of indices sits in the same tree as the weights. An integer has no
gradient, and JAX refuses instead of leaving it out.
"""

import jax
import jax.numpy as jnp


def loss(state, batch):
    return jnp.mean((batch @ state["w"]) ** 2)


state = {"w": jnp.ones(3), "step": jnp.array(0)}
gradients = jax.grad(loss)(state, jnp.ones((4, 3)))  # ! grad-int-input
