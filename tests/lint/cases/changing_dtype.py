import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(state):
    return state * 0.5 + 1.0


@jax.jit
def count(state):
    return state + 1


def integers_first():
    state = np.zeros(3, np.int32)
    for _ in range(100):
        state = step(state)  # ! changing-dtype
    return state


def floats_first():
    state = np.zeros(3, np.float32)
    for _ in range(100):
        state = step(state)
    return state


def integers_stay():
    state = jnp.zeros(3, jnp.int32)
    for _ in range(100):
        state = count(state)
    return state


def of_the_same_name_on_the_device():
    state = np.zeros(3)
    for _ in range(100):
        state = step(state)
    return state


@jax.jit
def scale(state, total):
    return state * total


def a_whole_number_as_the_least(records):
    for record in records:
        scale(jnp.ones(3), max(1, float(record)))  # ! changing-dtype


def a_float_as_the_least(records):
    for record in records:
        scale(jnp.ones(3), max(1.0, float(record)))


def the_least_of_a_configuration(config, records):
    total = max(1, float(config.total))
    for record in records:
        scale(record, total)


class Lens(eqx.Module):
    shift: jax.Array
    weights: jax.Array


@eqx.filter_jit
def refine(lens, rate):
    return eqx.tree_at(lambda m: (m.shift, m.weights), lens, (lens.shift, lens.weights - rate))


@eqx.filter_jit
def refine_one(lens, rate):
    weights = (lens.weights - rate).astype(lens.weights.dtype)
    return eqx.tree_at(lambda m: m.weights, lens, weights)


def half_becomes_single():
    lens = Lens(jnp.zeros(2), jnp.zeros(3, jnp.bfloat16))
    for _ in range(9):
        lens = refine(lens, jnp.ones(3))  # ! changing-dtype
    return lens


def half_stays():
    lens = Lens(jnp.zeros(2), jnp.zeros(3, jnp.bfloat16))
    for _ in range(9):
        lens = refine_one(lens, jnp.ones(3))
    return lens
