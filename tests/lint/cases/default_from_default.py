import dataclasses
from typing import ClassVar

import flax.linen as nn
from flax import struct


@dataclasses.dataclass
class OfARun:
    steps: int = 1000
    warmup: int = 100
    rest: int = steps - warmup  # ! default-from-default
    name: str = f"run-{steps}"  # ! default-from-default


class Block(nn.Module):
    width: int = 64
    inner: int = dataclasses.field(default=4 * width)  # ! default-from-default

    @nn.compact
    def __call__(self, x):
        return nn.Dense(self.width)(nn.Dense(self.inner)(x))


@struct.dataclass
class Moments:
    size: int = 2
    both: int = 2 * size  # ! default-from-default


moments = Moments(size=3)


@dataclasses.dataclass
class Later:
    steps: int = 1000
    rest: int = 2 * steps
    half: int = steps // 2

    def __post_init__(self):
        self.rest = 2 * self.steps
        object.__setattr__(self, "half", self.steps // 2)


@dataclasses.dataclass
class OfConstants:
    STEPS: ClassVar[int] = 1000
    base: ClassVar[int] = 10
    rest: int = 2 * STEPS
    other: int = 2 * base


class NoDataclass:
    steps: int = 1000
    rest: int = 2 * steps


@dataclasses.dataclass
class Property:
    steps: int = 1000

    @property
    def rest(self):
        return 2 * self.steps


def shadowed(steps=3):
    @dataclasses.dataclass
    class Inner:
        rest: int = 2 * steps

    return Inner
