import dataclasses
from typing import ClassVar, NamedTuple

import equinox as eqx
import flax.linen as nn
import jax
from flax import struct


@dataclasses.dataclass(frozen=True, kw_only=True)
@jax.tree_util.register_static
class Settings:
    rate: float = 0.1
    placement = ("data", None)  # ! field-without-annotation
    width: int = 3


@struct.dataclass
class State:
    step: int
    decay = 0.9  # ! field-without-annotation
    weights: jax.Array


class Layer(eqx.Module):
    width: int = 3
    bias: bool = True


class Wide(Layer):
    width = 64  # ! field-without-annotation


class Shallow(Settings):
    rate = -0.5  # ! field-without-annotation


class WideOnPurpose(Layer):
    width: int = 64


class OwnConstructor(Layer):
    width = 64

    def __init__(self, width):
        self.width = width
        self.bias = False


@dataclasses.dataclass
class Constants:
    rate: float = 0.1
    LIMIT = 3
    _hidden = 4
    base: ClassVar[int] = 2
    width: int = 3


class Module(nn.Module):
    width: int = 3
    bias: bool = True

    def setup(self):
        self.layer = nn.Dense(self.width)

    inner = property(lambda self: 4 * self.width)


class Pair(NamedTuple):
    first: int = 1
    second: int = 2


class Changed(Pair):
    first = 5


class Plain:
    width: int = 3
    depth = 2
    bias: bool = True


class OfALibrary(jax.Unknown):
    width: int = 3
    depth = 2
    bias: bool = True
