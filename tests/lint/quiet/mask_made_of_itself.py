"""A mask that each step narrows: its name stands in its own value."""

import jax
import jax.numpy as jnp


def energy(distances, cutoff):
    mask = distances < cutoff
    mask = mask & (distances > -cutoff)
    return jnp.sum(jnp.where(mask, distances**0.5 + 1.0, 0.0))


def train(distances):
    return jax.grad(energy)(distances, 2.0)


@jax.jit
def step(distances):
    return jax.value_and_grad(energy)(distances, 2.0)
