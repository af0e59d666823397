"""A flag that has one value wherever a function is traced: the other branch never is."""

from collections.abc import Callable
from functools import partial, wraps

import jax
import jax.numpy as jnp
import numpy as np


def generate(ids, left=True, trace=True):
    if left and not trace and jnp.sum(ids) > 0:
        print("right padding")
    if not trace:
        count = jnp.sum(ids == 0)
        if count > 0:
            print("right padding")
    return ids + 1


def pick(values, use_jnp=False, key=None):
    if use_jnp:
        key, _ = jax.random.split(key)
        number = jax.random.randint(key, [], 0, 3)
    else:
        number = np.random.randint(0, 3)
    return values[number]


def pick_all(values, use_jnp=False, key=None):
    return pick(values[0], use_jnp=use_jnp, key=key) + values[1]


def early(x, traced=False):
    if traced:
        return jnp.sum(x)
    if jnp.any(x > 0):
        return float(x.sum())
    return on_host(x)


def on_host(x):
    return np.asarray(x).sum() if jnp.any(x > 0) else 0.0


def refusing(x, checked=False):
    if not checked:
        return jnp.sin(x)
    while jnp.any(x > 1):
        x = x / 2
    return x


def chosen(x, host=False):
    return float(x) if host else jnp.sin(x)


def timed(function: Callable) -> Callable:
    @wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@timed
def wrapped(x, quick=False):
    if not quick and jnp.sum(x) > 0:
        return x
    return x + 1


class Model:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x, *, trace=True):
        return self.forward(x, trace=trace)

    def forward(self, x, trace=True):
        if not trace and jnp.sum(x) > 0:
            print("positive")
        return x * self.scale


@jax.jit
def run(x, key):
    model = Model(2.0)
    key, other = jax.random.split(key)
    y = generate(x) + pick(x, use_jnp=True, key=key) + wrapped(x, quick=True)
    y = y + pick_all([x, x + 1], use_jnp=True, key=other) + early(x, traced=True)
    return y + refusing(x) + chosen(x) + model.forward(x)


@jax.jit
def given_to_jit(x, shown=False):
    if shown:
        print(float(x.sum()))
    return x + 1


bound = jax.jit(partial(generate, trace=True))

if __name__ == "__main__":
    numbers = jnp.arange(3)
    print(run(numbers, jax.random.key(0)), given_to_jit(numbers), bound(numbers))
    print(pick(np.arange(3)), generate(numbers, trace=False), early(numbers))
