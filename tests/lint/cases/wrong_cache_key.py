"""Dictionaries of jitted functions whose keys do not fit, and those that do."""

import functools

import jax
import jax.numpy as jnp

steps = {}
tables = {}


def rate_is_missing(x, rate):
    if x.shape not in steps:
        steps[x.shape] = jax.jit(lambda v: v * rate)  # ! wrong-cache-key
    return steps[x.shape](x)


def what_is_made_of_it_is_missing(x, size, rate):
    half = rate / 2
    if size in steps:
        return steps[size](x)

    @jax.jit
    def step(v):
        return v * half

    steps[size] = step  # ! wrong-cache-key
    return step(x)


def asked_for_another(x, name):
    if name not in steps:
        steps[x.shape] = jax.jit(lambda v: v * 2)  # ! wrong-cache-key
    return steps[name](x)


def stored_without_a_part(x, train):
    key = (x.shape, train)
    if key not in steps:
        steps[x.shape] = jax.jit(lambda v: v * 2)  # ! wrong-cache-key
    return steps[x.shape](x)


class Model:
    def __init__(self):
        self.steps = {}
        self.rate = 0.1

    def mapped(self, x, scale):
        if x.ndim not in self.steps:
            self.steps[x.ndim] = jax.jit(jax.vmap(lambda v: v + scale))  # ! wrong-cache-key
        return self.steps[x.ndim](x)


class Right:
    def __init__(self, model):
        self.steps = {}
        self.model = model

    def step(self, x, train):
        if train not in self.steps:
            self.steps[train] = jax.jit(lambda v: self.model(v, train))
        return self.steps[train](x)

    def of_a_local(self, x, size):
        model = self.model
        if size not in self.steps:
            self.steps[size] = jax.jit(lambda v: v * model)
        return self.steps[size](x)


def all_in_the_key(x, rate):
    key = (x.shape, rate)
    if key not in steps:
        steps[key] = jax.jit(lambda v: v * rate)
    return steps[key](x)


def written_twice(x, rate):
    key = (x.shape, rate)
    if (x.shape, rate) not in steps:
        steps[key] = jax.jit(lambda v: v * rate)
    return steps[key](x)


def made_of_the_key(x, size):
    half = size // 2
    if size not in steps:
        steps[size] = jax.jit(lambda v: v[:half])
    return steps[size](x)


def key_made_of_it(x, rate):
    name = f"step-{rate}"
    if name not in steps:
        steps[name] = jax.jit(lambda v: v * rate)
    return steps[name](x)


def around_a_model(x, model):
    if x.shape not in steps:
        steps[x.shape] = jax.jit(lambda v: model(v))
    return steps[x.shape](x)


def with_settings(x, config):
    if x.shape not in steps:
        steps[x.shape] = jax.jit(lambda v: v * config.rate)
    return steps[x.shape](x)


def given_the_function(name, function):
    if name not in steps:
        steps[name] = jax.jit(function)
    return steps[name]


def as_an_argument(x, rate):
    if x.shape not in steps:
        steps[x.shape] = jax.jit(lambda v, rate: v * rate)
    return steps[x.shape](x, rate)


def arrays_are_another_matter(x, rate):
    if x.shape not in tables:
        tables[x.ndim] = jnp.full(3, rate)
    return tables


def a_dictionary_of_this_call(x, rate, names):
    own = {}
    for name in names:
        if name not in own:
            own[name] = jax.jit(lambda v: v * rate)
    return [own[name](x) for name in names]


@functools.lru_cache
def by_python(size, rate):
    return jax.jit(lambda v: v[:size] * rate)


def all_at_once(sizes, rate):
    if "first" not in steps:
        for size in sizes:
            steps[size] = jax.jit(jnp.sum)
    return steps


def two_at_once(x):
    if "train" not in steps:
        steps["eval"] = jax.jit(lambda v: v * 2)
        steps["train"] = jax.jit(lambda v: v * 3)
    return steps["train"](x)
