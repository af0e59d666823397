import abc
import dataclasses
from functools import partial
from typing import Generic, NamedTuple, TypeVar

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import strangers
from flax import nnx, struct
from jax import jit, tree_util

T = TypeVar("T")


class Plain:
    @jit  # ! jit-method-no-static-self
    def predict(self, x):
        return x * self.scale


class WithOptions:
    @partial(jax.jit, static_argnums=(1,))  # ! jit-method-no-static-self
    def predict(self, n, x):
        return x * n


@dataclasses.dataclass
class Settings:
    scale: float

    @partial(jax.pmap, axis_name="i")  # ! jit-method-no-static-self
    def predict(self, x):
        return x * self.scale


class Base(abc.ABC):
    @abc.abstractmethod
    def loss(self, x): ...


class Derived(Base, Generic[T]):
    @jax.jit  # ! jit-method-no-static-self
    @partial(jax.vmap, in_axes=(None, 0))
    def loss(self, x):
        return jnp.sum(x)


class OtherName:
    def scale(this, x):
        return x * 2

    @jax.jit  # ! jit-method-no-static-self
    def predict(this, x):
        return this.scale(x)


def compiled(function):
    return jax.jit(function)


class BehindItsOwnJit:
    @compiled  # ! jit-method-no-static-self
    def predict(self, x):
        return x


class Static:
    @partial(jax.jit, static_argnums=0)
    def one(self, x):
        return x

    @partial(jax.jit, static_argnames=("self", "n"))
    def two(self, x, n):
        return x * n

    @partial(jax.jit, static_argnums=(-2,))
    def three(self, x):
        return x

    @staticmethod
    @jax.jit
    def four(x):
        return x


class Namespace:
    """Called as `Namespace.mse(a, b)`."""

    @jax.jit
    def mse(pred, target):
        return jnp.mean((pred - target) ** 2)


class Module(eqx.Module):
    w: jax.Array

    @jax.jit
    def __call__(self, x):
        return self.w @ x

    @eqx.filter_jit
    def other(self, x):
        return self.w @ x


class Filtered:
    @eqx.filter_jit
    def other(self, x):
        return x


class Pairs(NamedTuple):
    a: jax.Array

    @jax.jit
    def total(self):
        return self.a.sum()


@struct.dataclass
class State:
    w: jax.Array

    @jax.jit
    def double(self):
        return self.replace(w=self.w * 2)


class Net(nnx.Module):
    @nnx.jit
    def __call__(self, x):
        return x

    @jax.jit
    def other(self, x):
        return x


class Linen(nn.Module):
    @nn.jit
    @nn.compact
    def __call__(self, x):
        return nn.Dense(3)(x)


@tree_util.register_pytree_node_class
class Registered:
    @jax.jit
    def double(self):
        return self

    def tree_flatten(self):
        return (), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls()


@dataclasses.dataclass
class RegisteredLater:
    w: jax.Array

    @jax.jit
    def double(self):
        return self.w * 2


tree_util.register_dataclass(RegisteredLater, ["w"], [])


class Unknown(strangers.Base):
    @jax.jit
    def double(self):
        return self


@strangers.decorated
class Decorated:
    @jax.jit
    def double(self):
        return self


class WithAMeta(metaclass=strangers.Meta):
    @jax.jit
    def double(self):
        return self


class Mixin:
    """What derives from it is a pytree."""

    @jax.jit
    def total(self):
        return sum(jax.tree.leaves(self))


class Mixed(Mixin, eqx.Module):
    w: jax.Array


class ByStrangers:
    @strangers.bound
    @jax.jit
    def double(self, x):
        return x


class Replaced:
    def __init__(self):
        self.rate = 0.1

    def follow(self, average, x):
        return average + self.rate * (x - average)

    follow = jax.jit(follow, donate_argnums=1)  # ! jit-method-no-static-self


class ReplacedWithStaticSelf:
    def __init__(self):
        self.rate = 0.1

    def follow(self, average, x):
        return average + self.rate * (x - average)

    follow = jax.jit(follow, static_argnums=0)


class OfAFunction:
    def __init__(self):
        self.double = jax.jit(OfAFunction._double)

    @staticmethod
    def _double(x):
        return 2 * x


class Scales:
    factor = 2.0

    def scaled(self, x):
        return self.factor * x


class Halves(Scales):
    factor = 0.5

    @jax.jit  # ! jit-method-no-static-self
    def mean(this, x):  # noqa: N805
        return this.scaled(x.mean())


class Space(Scales):
    @jax.jit
    def largest(x):  # noqa: N805
        return x.max()


class Judge:
    @nnx.jit  # ! jit-method-no-static-self
    def score(self, model, x):
        return model(x).sum()


class Judged(nnx.Module):
    @nnx.jit
    def score(self, x):
        return x.sum()


class Trainer:
    def __init__(self, rate):
        self.rate = rate

    @eqx.filter_jit
    def metrics(self, model, x):
        return model(x) * self.rate

    def train(self, model, batches):
        return [self.metrics(model, x) for x in batches]


trainer = Trainer(0.1)
trainer.train(jnp.sin, [jnp.ones(3)])
