"""The way without JAX is not mapped: what is mapped is defined where the flag is set."""

import jax
import jax.numpy as jnp
import numpy as np
from tools import mapping


def sample(key, n=128, periodic=False):
    if periodic:
        return jax.random.normal(jax.random.key(key), (n,))
    generator = np.random.default_rng(seed=key)
    return jnp.array(generator.standard_normal(size=n))


def samples(n=128, periodic=False):
    if periodic:
        return jax.vmap(lambda key: sample(key, n=n, periodic=periodic))
    return lambda keys: jnp.stack([sample(int(key), n=n, periodic=periodic) for key in keys])


def fit(keys, periodic):
    @jax.jit
    def loss(keys):
        return jnp.sum(mapping.over(samples(periodic=periodic), keys) ** 2)

    return loss(keys)
