"""Equinox compares the leaves of `Partial`, which is a pytree: one program for all turns."""

import equinox as eqx
import jax
import jax.numpy as jnp


def sample(kernel, x):
    return kernel * x


def run(kernel, chunks):
    found = []
    for chunk in chunks:
        step = eqx.filter_vmap(jax.tree_util.Partial(sample, kernel), in_axes=(0,))
        found.append(eqx.filter_jit(step)(chunk))
    return jnp.concatenate(found)


print(run(2.0, jnp.ones((8, 8))))
