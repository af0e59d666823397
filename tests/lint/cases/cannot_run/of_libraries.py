"""Calls of functions and classes of libraries that do not fit them."""

import sys

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
import optax as perhaps
import pytest
from flax import nnx
from jax.experimental.pjit import pjit


def schedule_without_end():
    return optax.linear_schedule(1.0)  # ! cannot-run


def schedule():
    return optax.linear_schedule(1.0, 0.0, 100)


def schedule_by_name(steps):
    return optax.linear_schedule(init_value=1.0, end_value=0.0, transition_steps=steps)


def schedule_from_config(config):
    return optax.linear_schedule(**config)


def schedule_from_list(values):
    return optax.linear_schedule(*values)


def word_of_torch(x):
    return nn.Conv(8, (3, 3), stride=2)(x)  # ! cannot-run


def word_of_linen(x):
    return nn.Conv(8, (3, 3), strides=2, name="first", parent=None)(x)


def without_streams():
    return nnx.Conv(3, 8, kernel_size=(3, 3))  # ! cannot-run


def with_streams(rngs):
    return nnx.Conv(3, 8, kernel_size=(3, 3), rngs=rngs)


def without_key():
    return eqx.nn.Linear(3, 8)  # ! cannot-run


def with_key(key):
    return eqx.nn.Linear(3, 8, key=key)


def mesh_by_position(f, mesh, spec):
    return jax.shard_map(f, mesh, in_specs=spec, out_specs=spec)  # ! cannot-run


def by_place_and_name(x):
    return jnp.sum(x, 0, axis=0)  # ! cannot-run


def of_a_ufunc(x):
    return jnp.add(x, x, where=x > 0)


def old_words(f):
    return pjit(f, in_axis_resources=None)  # `removed-api` has it


def by_position(f):
    return pjit(f, None, None)


def by_release(f):
    if jax.__version_info__ < (0, 5):
        return pjit(f, in_axis_resources=None)
    return jax.jit(f)


def where_it_may_fail(f):
    try:
        return jax.jit(f, in_axis_resources=None)
    except TypeError:
        return jax.jit(f)


def test_that_it_fails():
    with pytest.raises(TypeError):
        optax.linear_schedule(1.0)


class Own:
    @staticmethod
    def linear_schedule(start):
        return start


if len(sys.argv) > 1:
    perhaps = Own


def may_be_another():
    return perhaps.linear_schedule(1.0)
