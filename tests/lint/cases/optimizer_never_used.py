"""Train states of programs that only run a model."""

import jax
import optax
from flax import jax_utils
from flax.training import train_state

from helpers import run_all


def encode(model, params, batches):
    tx = optax.adamw(1e-4)
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=tx)  # ! optimizer-never-used
    state = jax_utils.replicate(state)

    def step(state, batch):
        return state.apply_fn(state.params, batch)

    mapped = jax.pmap(step)
    return [mapped(state, batch) for batch in batches]


def score(model, params, batch):
    adam = optax.adam(1e-3)
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=adam)  # ! optimizer-never-used
    return state.apply_fn(state.params, batch)


def without(model, params, batch):
    none = optax.identity()
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=none)
    return state.apply_fn(state.params, batch)


def made(model, params, tx):
    return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=tx)


def returned(model, params):
    state = train_state.TrainState.create(
        apply_fn=model.apply, params=params, tx=optax.adam(1e-3)
    )
    return state


def handed_on(model, params, batch):
    state = train_state.TrainState.create(
        apply_fn=model.apply, params=params, tx=optax.adam(1e-3)
    )
    return run_all(state, batch)
