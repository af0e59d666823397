"""Iterators and views where a pytree is wanted."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
import pytest
from flax import nnx
from jax import tree_util


@jax.jit
def total(arrays, scale=1.0):
    return sum(x.sum() for x in arrays) * scale


@nnx.jit
def total_of_nnx(arrays):
    return sum(x.sum() for x in arrays)


@partial(jax.jit, static_argnames="names")
def pick(tree, names):
    return [tree[name] for name in names]


@eqx.filter_jit
def filtered(arrays):
    return arrays


def views(losses: dict):
    total(losses.values())  # ! dict-values-leaf
    total([jnp.ones(3)], scale=losses.values())  # ! dict-values-leaf
    total_of_nnx({"a": jnp.ones(2)}.values())  # ! dict-values-leaf
    given = losses.items()
    return total(given)  # ! dict-values-leaf


def iterators(xs, ys):
    total(zip(xs, ys))  # ! dict-values-leaf
    total(map(jnp.sin, xs))  # ! dict-values-leaf
    total(filter(None, xs))  # ! dict-values-leaf
    total(x * 2 for x in xs)  # ! dict-values-leaf
    doubled = (x * 2 for x in xs)
    return total(doubled)  # ! dict-values-leaf


def trees(losses, xs):
    jax.tree.map(jnp.sum, losses.values())  # ! dict-values-leaf
    jax.tree_util.tree_map(lambda a, b: a + b, losses, losses.values())  # ! dict-values-leaf
    tree_util.tree_leaves(x for x in xs)  # ! dict-values-leaf
    jax.tree.reduce(lambda a, b: a + b, losses.values())  # ! dict-values-leaf
    jax.block_until_ready(losses.values())  # ! dict-values-leaf
    jax.device_put(losses.values())  # ! dict-values-leaf
    jax.lax.scan(lambda c, x: (c, x), 0.0, zip(xs, xs))  # ! dict-values-leaf
    return optax.global_norm(map(jnp.ravel, xs))  # ! dict-values-leaf


def lists(losses, xs, ys):
    total(list(losses.values()))
    total([x * 2 for x in xs])
    total(tuple(zip(xs, ys)))
    total(losses)
    jax.tree.map(jnp.sum, [*losses.values()])
    jax.tree.leaves(dict(zip(xs, ys)))
    jax.tree.map(jnp.sum, losses.values(), is_leaf=lambda x: True)
    jax.device_put(xs, jax.devices()[0])
    sum(x.sum() for x in losses.values())
    jnp.stack([*map(jnp.sin, xs)])
    given = losses.values()
    given = list(given)
    total(given)
    filtered(losses.values())
    pick(losses, tuple(losses))
    return jax.tree.reduce(lambda a, b: a + b, xs, sum(losses.values()))


def maybe(losses, listed):
    given = losses.values()
    if listed:
        given = list(given)
    return total(given)


class Table:
    def values(self):
        return [jnp.ones(3)]

    def __init__(self):
        self.rows = {}

    def all(self):
        total(self.values())
        return total(self.rows.values())  # ! dict-values-leaf


def own_class():
    table = Table()
    return total(table.values())


def map_of_our_own(xs):
    def map(function, xs):
        return [function(x) for x in xs]

    return total(map(jnp.sin, xs))


def expected(losses):
    with pytest.raises(TypeError):
        total(losses.values())
