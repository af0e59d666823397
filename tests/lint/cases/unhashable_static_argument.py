"""What can be hashed, and what cannot."""

from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("shape", "options"))
def make(x, shape=(), options=None):
    return x


def a_list(x):
    return make(x, shape=[1, 2])  # ! unhashable-static-argument


def a_dict(x):
    return make(x, options={"a": 1})  # ! unhashable-static-argument


def an_array(x):
    return make(x, jnp.arange(3))  # ! unhashable-static-argument


def a_tuple(x):
    return make(x, shape=(1, 2), options="fast")


def as_data():
    return make([jnp.ones(3), {"a": jnp.ones(3)}])


def unknown(x, shape):
    return make(x, shape)


def made_a_tuple(x, sizes):
    shape = [size + 1 for size in sizes]
    return make(x, shape=tuple(shape))


def handed_on(x, sizes):
    return make(x, shape=sizes)


def a_tuple_of_something_unknown(x, settings):
    return handed_on(x, tuple(settings.sizes))


@dataclass
class Plain:
    depth: int = 2


@dataclass(frozen=True)
class Frozen:
    depth: int = 2


@dataclass(eq=False)
class ByIdentity:
    depth: int = 2


@dataclass(unsafe_hash=True)
class Hashed:
    depth: int = field(default=2)


class Below(Plain):
    pass


class FrozenBelow(Frozen):
    pass


class Equal:
    def __eq__(self, other):
        return True


class EqualAndHashed(Equal):
    def __hash__(self):
        return 1


class Ordinary:
    pass


class Pair(NamedTuple):
    a: int = 1


def an_object(x):
    make(x, options=Plain())  # ! unhashable-static-argument
    make(x, options=Below())  # ! unhashable-static-argument
    make(x, options=Equal())  # ! unhashable-static-argument
    settings = Plain(3)
    return make(x, options=settings)  # ! unhashable-static-argument


def annotated(x, settings: Plain):
    return make(x, options=settings)


def objects_with_a_hash(x):
    make(x, options=Frozen())
    make(x, options=FrozenBelow())
    make(x, options=ByIdentity())
    make(x, options=Hashed())
    make(x, options=EqualAndHashed())
    make(x, options=Ordinary())
    make(x, options=Plain)
    return make(x, options=Pair())


def plain_as_data():
    return make(Plain())
