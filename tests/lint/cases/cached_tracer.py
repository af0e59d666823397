import functools
from functools import cache, cached_property, lru_cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np


@lru_cache(maxsize=64)  # ! cached-tracer
def table(n):
    return jnp.arange(n)


@functools.cache  # ! cached-tracer
def deeper(n):
    mask = jnp.tril(jnp.ones((n, n)))
    return mask, n


def one_call_deeper(x):
    return x @ deeper(x.shape[0])[0]


@jax.jit
def step(x):
    return one_call_deeper(x) + table(3)


@lru_cache  # ! cached-tracer
def weights(n):
    return jax.random.normal(jax.random.key(0), (n,))


def body(carry, x):
    return carry + weights(3), x


def scanned(xs):
    return jax.lax.scan(body, jnp.zeros(3), xs)


class Encoder:
    """It raises too, but nobody follows the property into the trace."""

    def __init__(self, size):
        self.size = size

    @cached_property
    def positions(self):
        return jnp.arange(self.size)

    @cached_property
    def sizes(self):
        return (self.size, np.arange(self.size))

    @functools.partial(jax.jit, static_argnums=0)
    def encode(self, x):
        return x + self.positions + self.sizes[1]


encoder = Encoder(3)


@lru_cache
def of_numpy(n):
    return np.arange(n)


@lru_cache
def a_shape(n):
    return (n, n // 2)


@lru_cache
def concrete(n):
    with jax.ensure_compile_time_eval():
        return jnp.arange(n)


@lru_cache
def also_outside(n):
    return jnp.arange(n)


@lru_cache
def only_outside(n):
    return jnp.arange(n)


@cache
def compiled(n):
    return jax.jit(lambda x: x * n)


def not_kept(n):
    return jnp.arange(n)


@jax.jit
def right(x):
    @lru_cache
    def within(n):
        return jnp.arange(n)

    return x + of_numpy(3) + a_shape(3)[0] + concrete(3) + within(3) + within(3) + not_kept(3)


@jax.jit
def warmed(x):
    return x + also_outside(3)


def main(x):
    warm = also_outside(3)
    return warmed(x), warm, only_outside(4), compiled(3)(x)


@lru_cache
def for_a_gradient(n):
    return jnp.arange(n) * 1.0


def loss(w):
    return jnp.sum(w * for_a_gradient(3))


def differentiated(w):
    return jax.grad(loss)(w)


class Module(eqx.Module):
    w: jax.Array

    @cached_property
    def doubled(self):
        return self.w * 2

    @eqx.filter_jit
    def __call__(self, x):
        return x + self.doubled


@lru_cache
def of_a_stranger(n, make):
    return make(n)


@jax.jit
def with_a_stranger(x):
    return x + of_a_stranger(3, np.ones)
