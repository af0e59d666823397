"""Fields filled by position, by variables that are named after fields."""

from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple

import chex
import equinox as eqx
import flax
import jax
import jax.numpy as jnp
import optax


class State(NamedTuple):
    step: jax.Array
    params: dict
    opt_state: optax.OptState


@flax.struct.dataclass
class Metrics:
    loss: jax.Array
    accuracy: jax.Array
    count: jax.Array


@dataclass
class Base:
    mean: float
    scale: float


@dataclass
class Shifted(Base):
    shift: float


class Moments(eqx.Module):
    mean: jax.Array
    variance: jax.Array


class Own(NamedTuple):
    first: int
    second: int

    def __new__(cls, second, first):
        return tuple.__new__(cls, (first, second))


class History(NamedTuple):
    last: jax.Array
    previous: jax.Array
    oldest: jax.Array


class Point(NamedTuple):
    x: float
    y: float


class Edges(NamedTuple):
    senders: jax.Array
    receivers: jax.Array


Step = namedtuple("Step", ["state", "action", "reward"])
Pair = namedtuple("Pair", "left, right")


def advance(state, params, opt_state):
    return State(state.step + 1, opt_state, params)  # ! fields-in-wrong-order


def advance_well(state, params, opt_state):
    return State(state.step + 1, params, opt_state)


def all_wrong(params, opt_state, step):
    return State(params, opt_state, step)  # ! fields-in-wrong-order


def by_name(params, opt_state, step):
    return State(params=params, opt_state=opt_state, step=step)


def last_by_name(params, opt_state, step):
    return State(params, step, opt_state=opt_state)  # ! fields-in-wrong-order


def new_names(grads, state, tx):
    updates, new_opt_state = tx.update(grads, state.opt_state)
    new_params = optax.apply_updates(state.params, updates)
    return State(state.step, new_opt_state, new_params)  # ! fields-in-wrong-order


def adam(mu, nu, count_inc):
    return optax.ScaleByAdamState(mu, nu, count_inc)  # ! fields-in-wrong-order


def adam_well(mu, nu, count_inc):
    return optax.ScaleByAdamState(count_inc, mu, nu)


def of_old_state(state):
    return optax.ScaleByAdamState(state.mu, state.nu, state.count)  # ! fields-in-wrong-order


def optimizer(rate):
    def init_fn(params):
        return optax.EmaState(jnp.zeros([], jnp.int32), params)

    def update_fn(updates, state, params=None):
        return updates, optax.EmaState(state.count + 1, updates)

    return optax.GradientTransformation(update_fn, init_fn)  # ! fields-in-wrong-order


def optimizer_well(init_fn, update_fn):
    return optax.GradientTransformation(init_fn, update_fn)


def measured(accuracy, loss, count):
    return Metrics(accuracy, loss, count)  # ! fields-in-wrong-order


def of_a_class_above(scale, shift, mean):
    return Shifted(scale, shift, mean)  # ! fields-in-wrong-order


def of_a_class_above_well(mean, scale, shift):
    return Shifted(mean, scale, shift)


def module(variance, mean):
    return Moments(variance, mean)  # ! fields-in-wrong-order


def from_a_factory(action, state, reward):
    return Step(action, state, reward)  # ! fields-in-wrong-order


def its_own_order(second, first):
    return Own(second, first)


def moves_on(history, new):
    last, previous = history.last, history.previous
    return History(new, last, previous)


def one_alone(state, params):
    return State(params, state.params, state.opt_state)


def twice(loss, count):
    return Metrics(loss, loss, count)


def other_names(weights, slots):
    return State(slots, weights, slots)


def one_letter(x, y):
    return Point(y, x)


def back_and_front(pair):
    return Pair(pair.right, pair.left)


def swapped(left, right):
    return Pair(right, left)


def reverse_edges(senders, receivers):
    return Edges(receivers, senders)


def unpacked(both):
    return Edges(*both)


def elsewhere(make, params, step, opt_state):
    return make(params, step, opt_state)


@chex.dataclass
class Mapped:
    loss: jax.Array
    count: jax.Array


def both_roles(flag, loss, count):
    return Mapped(loss=count, count=loss) if flag else Mapped(loss=loss, count=count)
