"""Train states of Flax, and classes that extend them."""

from typing import Any

import jax
import optax
from flax import struct
from flax.training import train_state
from flax.training.train_state import TrainState


class WithStats(train_state.TrainState):
    batch_stats: Any
    key: jax.Array = None
    loss_scale: Any = struct.field(default=None)


class OwnCreate(TrainState):
    epoch: int

    @classmethod
    def create(cls, *, epoch=0, **fields):
        return super().create(epoch=epoch, **fields)


def given_twice(model, params, tx):
    state = tx.init(params)
    return TrainState.create(  # ! cannot-run
        apply_fn=model.apply, params=params, tx=tx, opt_state=state
    )


def given_once(model, params, tx):
    return TrainState.create(apply_fn=model.apply, params=params, tx=tx)


def without_statistics(model, params, tx):
    return WithStats.create(apply_fn=model.apply, params=params, tx=tx)  # ! cannot-run


def with_statistics(model, params, stats, tx):
    return WithStats.create(apply_fn=model.apply, params=params, tx=tx, batch_stats=stats)


def from_parts(parts, tx):
    return WithStats.create(tx=tx, **parts)


def with_another_field(params):
    return TrainState.create(  # ! cannot-run
        apply_fn=None, params=params, tx=optax.adam(1e-3), batch_stats={}
    )


def by_position(model, params, tx):
    return TrainState.create(model.apply, params, tx)  # ! cannot-run


def by_its_own_create(model, params, tx):
    return OwnCreate.create(apply_fn=model.apply, params=params, tx=tx)


def in_full(model, params, tx):
    return TrainState(
        step=0, apply_fn=model.apply, params=params, tx=tx, opt_state=tx.init(params)
    )


def in_full_of_its_own(model, params, tx):
    return WithStats(
        step=0, apply_fn=model.apply, params=params, tx=tx, opt_state=tx.init(params),
        batch_stats={},
    )  # fmt: skip


def step_by_position(state: TrainState, grads):
    return state.apply_gradients(grads)  # ! cannot-run


def step(state: TrainState, grads):
    return state.apply_gradients(grads=grads)


def tried(model, params, tx):
    try:
        return TrainState.create(apply_fn=model.apply, params=params, tx=tx, step=3)
    except TypeError:
        return TrainState.create(apply_fn=model.apply, params=params, tx=tx)
