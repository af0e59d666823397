"""Traced arguments that are annotated with what JAX cannot take."""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
from flax import nnx, struct


class Scheduler:
    def __init__(self, steps):
        self.betas = jnp.linspace(1e-4, 2e-2, steps)


class Cosine(Scheduler):
    pass


class Network(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(3)(x)


class Table(nnx.Module):
    def __init__(self):
        self.rows = nnx.Param(jnp.zeros(3))


@struct.dataclass
class State:
    params: dict


class Pair(NamedTuple):
    a: jax.Array
    b: jax.Array


@jax.tree_util.register_dataclass
@dataclass
class Registered:
    w: jax.Array


@dataclass
class Later:
    w: jax.Array


jax.tree_util.register_dataclass(Later)


@nnx.jit
def noised(table: Table, scheduler: Scheduler, x: jax.Array):  # ! cannot-run
    return x * scheduler.betas[0] + table.rows


@partial(jax.jit, donate_argnums=0)
def of_one_that_extends(x: jax.Array, scheduler: Cosine):  # ! cannot-run
    return x * scheduler.betas[0]


@jax.jit
def encode(model: Network, params: dict, x: jax.Array):  # ! cannot-run
    return model.apply({"params": params}, x)


@partial(jax.jit, static_argnames="model")
def decode(model: Network, params: dict, x: jax.Array):
    return model.apply({"params": params}, x)


@jax.jit
def trees(state: State, pair: Pair, one: Registered, other: Later):
    return state.params["w"] + pair.a + one.w + other.w


def not_compiled(scheduler: Scheduler, model: Network):
    return model, scheduler


@jax.jit
def with_a_default(x: jax.Array, scheduler: Scheduler = None):
    return x if scheduler is None else x * scheduler.betas[0]
