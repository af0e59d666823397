"""Functions that make jitted functions."""

import functools

import jax
import jax.numpy as jnp


def loss(w, x):
    return jnp.sum((w * x) ** 2)


def make_norm():
    return _make_norm()


def _make_norm():
    return jax.jit(lambda tree: sum(jnp.sum(leaf) for leaf in jax.tree.leaves(tree)))


def make_mapped():
    return jax.jit(jax.vmap(loss, in_axes=(None, 0)))


def make_named():
    return jax.jit(loss)


@functools.lru_cache
def make_cached():
    return jax.jit(lambda w, x: loss(w, x))


_made = {}


def make_kept():
    if "step" not in _made:
        _made["step"] = jax.jit(lambda w, x: loss(w, x))
    return _made["step"]


def make_step(model):
    return jax.jit(lambda x: model(x))
