"""Keys that are split, and folded as well."""

import zlib

import jax
import jax.random as jr
from jax import random


def step_after_split(key, steps):
    init, data = jax.random.split(key)
    for step in range(steps):
        yield init, data, jax.random.fold_in(key, step)  # ! split-and-fold-in


def step_of_a_new_key(key, steps):
    key, init = jax.random.split(key)
    for step in range(steps):
        yield init, jax.random.fold_in(key, step)


def split_after_fold(key):
    first = random.fold_in(key, 1)  # ! split-and-fold-in
    return first, random.split(key, 4)


def number_that_split_does_not_reach(key):
    first = random.fold_in(key, 7)
    return first, random.split(key, 4)


def second_of_two(key):
    a, b = jr.split(key)
    return a, b, jr.fold_in(key, 1)  # ! split-and-fold-in


def third_of_two(key):
    a, b = jr.split(key)
    return a, b, jr.fold_in(key, 2)


def by_name(key, name):
    a, b = jr.split(key)
    return a, b, jr.fold_in(key, zlib.crc32(name.encode()))


def of_each_device(key):
    local = jax.random.fold_in(key, jax.lax.axis_index("data"))  # ! split-and-fold-in
    return local, jax.random.split(key, 2)


def of_each_process_alone(key):
    local = jax.random.fold_in(key, jax.process_index())
    return jax.random.split(local, 2)


def counted(key, layers):
    shared, rest = jax.random.split(key)
    for i, layer in enumerate(layers):
        layer.reset(jax.random.fold_in(key, i))  # ! split-and-fold-in
    return shared, rest


def counted_from_elsewhere(key, layers):
    shared, rest = jax.random.split(key)
    for number in range(100, 110):
        layers.reset(jax.random.fold_in(key, number))
    return shared, rest


def either(key, step, many):
    if many:
        return jax.random.split(key)
    return jax.random.fold_in(key, step)


def one_or_the_other(key, step, many):
    if many:
        keys = jax.random.split(key)
    else:
        keys = jax.random.fold_in(key, step)
    return keys


def unknown_number(key, data):
    a, b = jax.random.split(key)
    return a, b, jax.random.fold_in(key, data.checksum)


def two_keys(key, other, step):
    return jax.random.split(key), jax.random.fold_in(other, step)


def own(key, many):
    return jax.random.fold_in(key, 1) if many else key


def folded_or_split(key, many):
    key = own(key, many)
    return jax.random.split(key, 8)


def folded_and_split(key, many):
    other = own(key, many)  # ! split-and-fold-in
    return other, jax.random.split(key, 8)
