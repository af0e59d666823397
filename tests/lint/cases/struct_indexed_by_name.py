"""States that are indexed like dictionaries."""

import dataclasses
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar

import chex
import equinox as eqx
import flax
import jax
import jax.numpy as jnp
import pytest
from flax import struct
from flax.training import train_state
from flax.training.train_state import TrainState
from somewhere import Indexed

T = TypeVar("T")


@struct.dataclass
class State:
    params: Any
    step: int


class Node(struct.PyTreeNode):
    params: Any


class Moments(NamedTuple):
    mu: Any
    nu: Any


class WithStats(train_state.TrainState):
    batch_stats: Any


@dataclasses.dataclass(frozen=True)
class Config:
    rate: float


@struct.dataclass
class Both(Generic[T]):
    params: T

    def __getitem__(self, name):
        return getattr(self, name)


@struct.dataclass
class Lower(Both):
    step: int


@struct.dataclass
class Upper:
    params: Any


@struct.dataclass
class WithItems(Upper):
    def __getitem__(self, name):
        return getattr(self, name)


@chex.dataclass
class Mapped:
    params: Any


@struct.dataclass
class Elsewhere(Indexed):
    params: Any


class Layer(eqx.Module):
    weight: jax.Array


class Typed(TypedDict):
    params: Any


class Plain:
    params: Any


@jax.jit
def read(state: State):
    return state["params"], state.step  # ! struct-indexed-by-name


@jax.jit
def read_well(state: State):
    return state.params["w"]


def made(params):
    state = State(params, 0)
    return jax.tree.map(jnp.sum, state["params"])  # ! struct-indexed-by-name


def of_a_node(node: Node):
    return node.replace(params=node["params"]["w"])  # ! struct-indexed-by-name


def of_a_tuple(moments: Moments):
    first = moments.nu
    return first, moments["mu"]  # ! struct-indexed-by-name


def train(state: TrainState, grads):
    params = state["params"]  # ! struct-indexed-by-name
    return state.apply_gradients(grads=jax.tree.map(jnp.add, params, grads))


def statistics(state: WithStats):
    return state.params, state["batch_stats"]  # ! struct-indexed-by-name


def assigned(state: State, step):
    state["step"] = step  # ! struct-indexed-by-name
    return state.params


def counted(state: State):
    state["step"] += 1  # ! struct-indexed-by-name
    return state.params


def setting(config: Config):
    return config.rate or config["rate"]  # ! struct-indexed-by-name


def of_a_layer(layer: Layer, x):
    return layer["weight"] @ x + layer.weight  # ! struct-indexed-by-name


def from_text(state: "State"):
    return state.step, state["params"]  # ! struct-indexed-by-name


def in_a_function_of_it(state: State, x):
    def loss_fn(scale):
        return (state["params"] * scale * x).sum()  # ! struct-indexed-by-name

    return state.replace(params=jax.grad(loss_fn)(1.0))


def annotated_otherwise(state: State, slot):
    return state["params"][slot], state["logits"][slot]


def another_name(state: State, slot):
    return state.params, state["logits"][slot]


def with_items(state: Both, lower: Lower):
    return state["params"], lower["step"]


def may_be_one_with_items(state: Upper):
    return state["params"]


def mapped(state: Mapped):
    return state["params"]


def of_another_base(state: Elsewhere):
    return state["params"]


def typed(state: Typed, plain: Plain):
    return state["params"], plain["params"]


def either(state: State | dict):
    return state["params"]


def nothing(state: State | None, params):
    state = state or {"params": params}
    return state["params"]


def asked(state: State):
    if isinstance(state, dict):
        return state["params"]
    return state.params


def as_dict(state: State):
    state = flax.serialization.to_state_dict(state)
    return state["params"]


def fields(moments: Moments):
    return moments._asdict()["mu"], vars(moments)["nu"]


def by_number(moments: Moments, place):
    return moments[place]


def raises(state: State):
    with pytest.raises(TypeError):
        state["params"]


@jax.jit
def step(state: WithStats, batch):
    def loss(params):
        return state.apply_fn(params, state["batch_stats"], batch)  # ! struct-indexed-by-name

    grads = jax.grad(loss)(state.params)
    state = state.apply_gradients(grads=grads)
    state["batch_stats"] = batch  # ! struct-indexed-by-name
    return state


class Copied(struct.PyTreeNode):
    params: Any

    def replace(self, **changes):
        return {"params": self.params, **changes}


def becomes_a_dict(state: Copied):
    state = state.replace(step=1)
    return state["params"]


def may_become_another(state: State, make):
    state = make(state)
    return state["params"]


class Layers(eqx.Module):
    scale: float

    def __init__(self, scale):
        self.scale = 2 * scale


def with_its_own_init(model: Layers, x):
    return model["scale"] * x + model.scale  # ! struct-indexed-by-name
