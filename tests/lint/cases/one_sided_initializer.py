from collections.abc import Callable

import flax.linen as nn
import jax
from flax import nnx
from flax.linen.initializers import uniform as draw
from jax.nn import initializers as init
from jax.nn.initializers import lecun_uniform, uniform


class Actor(nn.Module):
    kernel_init: Callable = nn.initializers.uniform(0.1)  # ! one-sided-initializer

    @nn.compact
    def __call__(self, x):
        x = nn.Dense(8, kernel_init=lecun_uniform())(x)
        x = nn.Dense(8, kernel_init=draw())(x)  # ! one-sided-initializer
        w = self.param("kernel", uniform(0.01), (8, 2))  # ! one-sided-initializer
        return nn.Dense(2, kernel_init=uniform(scale=3e-3))(x @ w)  # ! one-sided-initializer


def last(bound):
    return init.uniform(bound)  # ! one-sided-initializer


def of_a_function(rngs):
    return nnx.Linear(3, 4, kernel_init=last(0.1), rngs=rngs)


def of_nnx(rngs):
    start = nnx.initializers.uniform(0.1)  # ! one-sided-initializer
    return nnx.Conv(3, 4, (3, 3), kernel_init=start, rngs=rngs)


class Positions(nn.Module):
    @nn.compact
    def __call__(self, x):
        bias = nn.Dense(8, bias_init=uniform())(x)
        return bias + self.param("frequencies", uniform(), (8,))


def uniform_in(bound):
    def start(key, shape, dtype=float):
        return jax.random.uniform(key, shape, dtype, -bound, bound)

    return start


def symmetric(rngs):
    return nnx.Linear(3, 4, kernel_init=uniform_in(0.1), rngs=rngs)


def others(rngs, kernel_init):
    first = nnx.Linear(3, 4, kernel_init=kernel_init, rngs=rngs)
    return first, nnx.Linear(3, 4, kernel_init=nnx.initializers.normal(0.1), rngs=rngs)


def drawn(key):
    return uniform(0.1)(key, (3, 4))
