"""A first momentum that the next line replaces: nothing has read it."""

import jax
import jax.numpy as jnp


def kernel(key, position, mass):
    # gotcha: allow[unused-result] replaced on the next line
    momentum: jax.Array = jax.random.normal(key, position.shape) * mass.diagonal() ** -0.5
    momentum = jnp.dot(jax.random.normal(key, position.shape), jnp.linalg.cholesky(mass))
    return position + momentum
