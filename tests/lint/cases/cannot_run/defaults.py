"""Defaults that are not hashable, and those that are called with what they do not take."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from flax import struct


@dataclass
class Config:
    width: int = 8


@dataclass(frozen=True)
class Frozen:
    width: int = 8


@dataclass(eq=False)
class ByIdentity:
    width: int = 8


@dataclass
class Hashed:
    width: int = 8

    def __hash__(self):
        return self.width


@dataclass
class Arguments:
    config: Config = Config()  # ! cannot-run
    frozen: Frozen = Frozen()
    own: ByIdentity = ByIdentity()
    hashed: Hashed = Hashed()
    widths: list[int] = [1, 2]  # ! cannot-run
    made: list[int] = field(default_factory=list)
    names: tuple[str, ...] = ("a", "b")
    known: ClassVar[dict[str, int]] = {}


@struct.dataclass
class State:
    weights: jax.Array = jnp.zeros(3)  # ! cannot-run
    scale: np.ndarray = np.ones(3)  # ! cannot-run
    config: Frozen = Frozen(4)
    step: int = 0


class Model(nn.Module):
    sizes: Sequence[int] = [8, 8]  # ! cannot-run
    layer: nn.Module = nn.Dense(3)


class Plain:
    sizes: Sequence[int] = [8, 8]


class Pair(NamedTuple):
    sizes: list[int] = [8, 8]


def make_policy(widths: tuple[int, ...] = (8,)) -> Callable:
    def make(actions: int):
        return nn.Dense(actions)

    return make


def policy(actions: int):
    return nn.Dense(actions)


def agent(key, x, net: Callable = make_policy):  # ! cannot-run
    return net(actions=3).init(key, x)


def applied(key, x, net: Callable = make_policy()):
    return net(actions=3).init(key, x)


def fitting(key, x, net: Callable = policy):
    return net(actions=3).init(key, x)


def chosen(key, x, net: Callable = make_policy):
    if net is make_policy:
        net = net()
    return net(actions=3).init(key, x)


def asked(key, x, net: Callable = make_policy):
    made = net() if net is make_policy else net(actions=3)
    return made.init(key, x)
