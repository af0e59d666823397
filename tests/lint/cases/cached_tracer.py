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
    def __init__(self, size):
        self.size = size

    @cached_property  # ! cached-tracer
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


class Horizon:
    def __init__(self, length):
        self.length = length

    @cached_property  # ! cached-tracer
    def weights(self):
        return jnp.linspace(1.0, 0.0, self.length)

    @functools.cached_property  # ! cached-tracer
    def mask(self):
        mask = jnp.tril(jnp.ones((self.length, self.length)))
        return mask

    @cached_property
    def concrete(self):
        with jax.ensure_compile_time_eval():
            return jnp.arange(self.length)

    @cached_property
    def asked_before(self):
        return jnp.arange(self.length)

    @cached_property
    def only_outside(self):
        return jnp.arange(self.length)

    @property
    def not_kept(self):
        return jnp.arange(self.length)

    @cached_property
    def step(self):
        return jax.jit(lambda x: x * self.length)


horizon = Horizon(12)


@jax.jit
def of_a_global(x):
    later = x * horizon.asked_before * horizon.not_kept
    return later + horizon.weights * horizon.concrete[0] + horizon.step(x)


def make_step(length):
    here = Horizon(length)
    first = here.asked_before

    @jax.jit
    def step(x):
        return x @ here.mask + first

    return step, here.only_outside


class Schedule:
    def __init__(self, length):
        self.length = length

    @cached_property
    def rates(self):
        return jnp.linspace(1.0, 0.0, self.length)


@jax.jit
def made_in_the_trace(x):
    schedule = Schedule(3)

    def body(carry, y):
        return carry * schedule.rates, y

    return jax.lax.scan(body, schedule.rates, x)


def of_the_caller(schedule: Schedule, x):
    return x * schedule.rates


@jax.jit
def of_an_argument(x):
    return of_the_caller(Schedule(3), x)


@jax.tree_util.register_pytree_node_class
class Tree:
    def __init__(self, w):
        self.w = w

    @cached_property
    def doubled(self):
        return self.w * jnp.arange(3)

    @jax.jit
    def apply(self, x):
        return x + self.doubled

    def tree_flatten(self):
        return (self.w,), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)


class Settings:
    def __init__(self, length):
        self.length = length

    @cached_property  # ! cached-tracer
    def table(self):
        return jnp.arange(self.length)


@functools.partial(jax.jit, static_argnames="settings")
def of_a_static_argument(settings: Settings, x):
    return x * settings.table


def with_settings(x):
    return of_a_static_argument(Settings(3), x)


class Bound:
    def __init__(self, n):
        self.n = n
        self.step = jax.jit(self._step)

    @cached_property  # ! cached-tracer
    def table(self):
        return jnp.arange(self.n)

    def _step(self, x):
        return x + self.table


class Helper:
    def __init__(self, n):
        self.n = n

    @cached_property  # ! cached-tracer
    def table(self):
        return jnp.arange(self.n)

    def loss(self, x):
        return jnp.sum(self.again(x))

    def again(self, x):
        return x * self.table

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x):
        return jax.grad(self.loss)(x)


class Closure:
    def __init__(self, n):
        self.n = n

    @cached_property  # ! cached-tracer
    def table(self):
        return jnp.arange(self.n)

    def make(self):
        @jax.jit
        def step(x):
            return x + self.table

        return step


class Outside:
    def __init__(self, n):
        self.n = n

    @cached_property
    def table(self):
        return jnp.arange(self.n)

    def forward(self, x):
        return x + self.table


@jax.jit
def made_and_called_in_the_trace(x):
    return Outside(3).forward(x)


class Model:
    def __init__(self, n):
        self.n = n

    @cached_property  # ! cached-tracer
    def table(self):
        return jnp.arange(self.n)

    def __call__(self, x):
        return x + self.table


model = Model(3)


@jax.jit
def of_a_model(x):
    return model(x)
