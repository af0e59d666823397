from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from flax.training import train_state
from jax import config

config.update("jax_enable_x64", True)


def late():
    x = jnp.ones(3)
    config.update("jax_enable_x64", True)  # ! x64-set-too-late
    return x + jnp.ones(3)


def early():
    jax.config.update("jax_enable_x64", True)
    return jnp.ones(3)


def off():
    x = jnp.ones(3)
    jax.config.update("jax_enable_x64", False)
    return x


def branches(flag):
    if flag:
        return jnp.ones(3)
    else:
        jax.config.update("jax_enable_x64", True)
        return jnp.zeros(3)


def both():
    x = jnp.ones(3)
    jax.config.update("jax_enable_x64", True)
    y = jnp.ones(3)
    jax.config.update("jax_enable_x64", False)
    return x, y


def init(key):
    return {"w": jax.random.normal(key, (3, 3)), "b": jnp.zeros(3)}


def table(rows):
    return [float(row) for row in rows]


class Agent:
    def __init__(self, seed):
        self.params = init(jax.random.key(seed))


class Settings:
    def __init__(self, seed):
        self.seed = seed
        self.key = jax.random.key(seed)


class Model(nnx.Module):
    def __init__(self, rngs):
        self.inner = nnx.Linear(2, 2, rngs=rngs)


def after_a_helper():
    params = init(jax.random.key(0))
    jax.config.update("jax_enable_x64", True)  # ! x64-set-too-late
    return params


def after_an_agent():
    agent = Agent(0)
    jax.config.update("jax_enable_x64", True)  # ! x64-set-too-late
    return agent


def after_a_model():
    model = Model(rngs=nnx.Rngs(0))
    jax.config.update("jax_enable_x64", True)  # ! x64-set-too-late
    return model


def after_numbers():
    noise = jax.random.normal(jax.random.key(0), (3,))
    jax.config.update("jax_enable_x64", True)  # ! x64-set-too-late
    return noise


def after_keys(rows):
    """Keys are the same with and without, and so are shapes."""
    settings, key = Settings(0), jax.random.key(0)
    key, other = jax.random.split(key)
    shapes = jax.eval_shape(init, key)
    numbers = table(rows)
    jax.config.update("jax_enable_x64", True)
    return settings, other, shapes, numbers


def asked_for(precise):
    params = init(jax.random.key(0))
    if precise:
        jax.config.update("jax_enable_x64", True)  # ! x64-set-too-late
    return params


def restarted(model):
    jax.config.update("jax_enable_x64", True)
    return model, init(jax.random.key(0))


def precise():
    """What a project does before anything else, in a function of its own."""
    jax.config.update("jax_enable_x64", True)


def prepared():
    precise()
    jax.config.update("jax_debug_nans", True)


def after_an_array_by_a_helper():
    params = init(jax.random.key(0))
    precise()  # ! x64-set-too-late
    return params


def two_helpers_deep(rows):
    means = jnp.mean(rows, axis=0)
    prepared()  # ! x64-set-too-late
    return means


def before_by_a_helper():
    prepared()
    return init(jax.random.key(0))


def checked():
    jax.config.update("jax_debug_nans", True)


class State(train_state.TrainState):
    average: Any


def created(model, tx, key):
    params = model.init(key, np.ones((1, 3)))
    return State.create(apply_fn=model.apply, params=params, tx=tx, average=None)


def after_a_state(model, tx):
    state = created(model, tx, jax.random.key(0))
    jax.config.update("jax_enable_x64", True)  # ! x64-set-too-late
    return state


def shapes_of_a_state(model, tx):
    shapes = jax.eval_shape(partial(created, model, tx), jax.random.key(0))
    jax.config.update("jax_enable_x64", True)
    return shapes


def another_setting():
    params = init(jax.random.key(0))
    checked()
    return params


def a_program_of_its_own():
    """One experiment after another: the arrays of the first are not used by the second."""
    means = jnp.mean(jnp.ones(3))
    return means, restarted(None)


class Pair(NamedTuple):
    first: Any
    second: Any


class Sizes(NamedTuple):
    rows: int
    columns: int


def paired(key):
    return Pair(jax.random.normal(key, (3,)), None)


def after_a_tuple(where):
    pair = jax.device_put(paired(jax.random.key(0)), where)
    jax.config.update("jax_enable_x64", True)  # ! x64-set-too-late
    return pair


def sized():
    return Sizes(2, 3)


def after_sizes():
    sizes = sized()
    jax.config.update("jax_enable_x64", True)
    return sizes
