"""States that were restored."""

from typing import Any, NamedTuple

import jax
import optax
import orbax.checkpoint as ocp
import pytest
from flax import serialization
from flax.serialization import msgpack_restore
from flax.training.train_state import TrainState

tx = optax.adamw(1e-3)
plain = optax.sgd(0.1)


class State(NamedTuple):
    params: Any
    opt_state: Any


def into_the_update(path, grads, params):
    restored = ocp.StandardCheckpointer().restore(path)
    updates, state = tx.update(grads, restored["opt_state"], params)  # ! orbax-restore-without-target
    opt_state = restored["opt_state"]
    tx.update(grads, state=opt_state, params=params)  # ! orbax-restore-without-target
    return updates, state


def by_a_manager(folder, grads, params):
    manager = ocp.CheckpointManager(folder)
    opt_state = manager.restore(manager.latest_step())
    tx.update(grads, opt_state, params)  # ! orbax-restore-without-target
    again = manager.restore(3, args=ocp.args.StandardRestore())
    return tx.update(grads, again, params)  # ! orbax-restore-without-target


def fields(path, batch):
    state = ocp.PyTreeCheckpointer().restore(path)
    logits = state.apply_fn(  # ! orbax-restore-without-target
        {"params": state.params}, batch  # ! orbax-restore-without-target
    )
    return logits


def into_a_state(path, state: TrainState):
    loaded = ocp.PyTreeCheckpointer().restore(path)
    both = State(loaded["params"], opt_state=loaded["opt_state"])  # ! orbax-restore-without-target
    return both, state.replace(
        params=loaded["params"], opt_state=loaded["opt_state"]  # ! orbax-restore-without-target
    )


def with_a_target(path, grads, params, folder):
    checkpointer = ocp.StandardCheckpointer()
    target = jax.eval_shape(tx.init, params)
    opt_state = checkpointer.restore(path, target)
    tx.update(grads, opt_state, params)
    tx.update(grads, checkpointer.restore(path, target=target), params)
    tx.update(grads, ocp.PyTreeCheckpointer().restore(path, item=target), params)
    manager = ocp.CheckpointManager(folder)
    state = manager.restore(3, args=ocp.args.StandardRestore(target))
    return tx.update(grads, state, params)


def as_a_dict(path, grads, state):
    restored = ocp.StandardCheckpointer().restore(path)
    params = restored["params"]
    print(restored.keys(), restored["step"])
    plain.update(grads, restored["opt_state"])
    return state.replace(params=params, step=restored["step"])


def of_several_items(folder):
    manager = ocp.CheckpointManager(folder)
    restored = manager.restore(3)
    return restored.params, restored.opt_state


def put_right(path, grads, params):
    restored = ocp.StandardCheckpointer().restore(path)
    treedef = jax.tree.structure(tx.init(params))
    opt_state = jax.tree.unflatten(treedef, jax.tree.leaves(restored["opt_state"]))
    return tx.update(grads, opt_state, params)


def rebound(path, state, loaded):
    if loaded:
        state = ocp.StandardCheckpointer().restore(path, state)
    return state.params, state.opt_state


def expected(path):
    state = ocp.StandardCheckpointer().restore(path)
    with pytest.raises(AttributeError):
        state.params


class Agent:
    def __init__(self, rate):
        self.tx = optax.adam(rate)


class Frozen(Agent):
    def __init__(self):
        self.tx = make_optimizer()


def of_an_agent(folder, grads):
    agent = Agent(1e-3)
    was = ocp.CheckpointManager(folder).restore(3)
    return agent.tx.update(grads, was)  # ! orbax-restore-without-target


def of_another(folder, grads):
    agent = Frozen()
    was = ocp.CheckpointManager(folder).restore(3)
    return agent.tx.update(grads, was)


def of_flax(path, state: TrainState, grads, params):
    raw = msgpack_restore(path.read_bytes())
    again = state.replace(opt_state=raw["opt_state"])  # ! orbax-restore-without-target
    saved = serialization.from_bytes(None, path.read_bytes())
    tx.update(grads, saved["opt"], params)  # ! orbax-restore-without-target
    known = serialization.from_bytes(state, path.read_bytes())
    tx.update(grads, known.opt_state, params)
    state = state.replace(params=raw["params"], step=raw["step"])
    opt = serialization.from_state_dict(state.opt_state, raw["opt_state"])
    return again, state.replace(opt_state=opt), known.params
