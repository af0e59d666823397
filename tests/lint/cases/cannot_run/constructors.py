"""Constructors that Python writes: of dataclasses, modules and tuples with names."""

import dataclasses
from collections import namedtuple
from typing import ClassVar, NamedTuple

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import pytest
from flax import struct

Pair = namedtuple("Pair", ["left", "right"])
Words = namedtuple("Words", "text, length")
Filled = namedtuple("Filled", ["left", "right"], defaults=[None])


class Carry(NamedTuple):
    params: dict
    key: jax.Array
    step: int = 0


@struct.dataclass
class Losses:
    total: jax.Array
    name: str = struct.field(pytree_node=False)
    parts: tuple = ()


@dataclasses.dataclass
class Options:
    width: int
    known: ClassVar[int] = 3


@dataclasses.dataclass(frozen=True)
class Config:
    width: int
    depth: int = dataclasses.field(default=2)
    names: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(kw_only=True)
class ByName:
    width: int = 0
    depth: int


@dataclasses.dataclass(frozen=True)
class Wider(Config):
    rate: float = 0.0


@dataclasses.dataclass
class Own:
    width: int

    def __init__(self, *widths):
        self.width = sum(widths)


class Scale(eqx.Module):
    weight: jax.Array
    eps: float = eqx.field(static=True)


class Layer(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        return nn.Dense(self.width)(x)


class Plain:
    width: int


def checked(function):
    return function


@checked
@dataclasses.dataclass
class Checked:
    width: int


def lacking(params, x, options):
    pair = Pair(left=x)  # ! cannot-run
    words = Words("a", 1, 2)  # ! cannot-run
    carry = Carry(params=params, step=0)  # ! cannot-run
    losses = Losses(x)  # ! cannot-run
    config = Config(width=8, rate=0.1)  # ! cannot-run
    wider = Wider(rate=0.1)  # ! cannot-run
    scale = Scale(x)  # ! cannot-run
    layer = Layer()  # ! cannot-run
    layer = Layer(8, depth=2)  # ! cannot-run
    return pair, words, carry, losses, config, wider, scale, layer, options


def fitting(params, x, key, options):
    with pytest.raises(TypeError):
        Pair(x)
    pair = Pair(x, right=x)
    words = Words("a", length=1)
    filled = Filled(x)
    carry = Carry(params, key)
    losses = Losses(x, "total")
    many = Options(8), Own(1, 2, 3), Plain(), Checked(), ByName(depth=3)
    config = Config(8, names=[])
    wider = Wider(8, 2, [], 0.1)
    scale = Scale(x, eps=0.1)
    layer = Layer(8, name="first")
    starred = Config(**options), Pair(*options)
    return pair, words, filled, carry, losses, many, config, wider, scale, layer, starred


def unpacked(x, key, count, steps):
    first, second, third = jnp.split(x, 2)  # ! cannot-run
    first, second = jnp.split(x, [1, 2], axis=-1)  # ! cannot-run
    one, two, three = jax.random.split(key)  # ! cannot-run
    loss, aux, grads = jax.value_and_grad(jnp.sum, has_aux=True)(x)  # ! cannot-run
    u, s = jnp.linalg.svd(x)  # ! cannot-run
    carry, kept, last = jax.lax.scan(steps, x, x)  # ! cannot-run
    return first, second, third, one, two, three, loss, aux, grads, u, s, carry, kept, last


def unpacked_right(x, key, count, places):
    first, second, third = jnp.split(x, 3)
    first, *rest = jnp.split(x, 2)
    first, second, third, fourth = jnp.split(x, count)
    first, second, third, fourth = jnp.split(x, places)
    one, two, three = jax.random.split(key, 3)
    one, two, three = jax.random.split(key, num=count)
    (loss, aux), grads = jax.value_and_grad(jnp.sum, has_aux=True)(x)
    u, s, v = jnp.linalg.svd(x, full_matrices=False)
    out, vjp, aux = jax.vjp(jnp.sum, x, has_aux=True)
    return first, second, third, fourth, rest, one, two, three, loss, aux, grads, u, s, v, out, vjp
