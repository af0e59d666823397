"""What can be hashed, and what cannot."""

from functools import partial

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
