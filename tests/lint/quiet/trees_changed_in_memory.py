"""Nothing is loaded, or who calls has compared what was: `from_state_dict` has its shapes."""

import jax
import jax.numpy as jnp
from flax import nnx, serialization, traverse_util
from flax.training import checkpoints


def decayed(updates, params, rate):
    flat = traverse_util.flatten_dict(serialization.to_state_dict(updates), sep="/")
    weights = traverse_util.flatten_dict(serialization.to_state_dict(params), sep="/")
    flat = {name: g + 0.1 * weights[name] for name, g in flat.items()}
    return serialization.from_state_dict(updates, traverse_util.unflatten_dict(flat, sep="/"))


def copied(source, target):
    state = nnx.state(target)
    kernels = nnx.state(source).to_pure_dict()
    merged = state.to_pure_dict()
    for name in merged:
        merged[name] = kernels[name]
    nnx.replace_by_pure_dict(state, merged)
    nnx.update(target, state)


def clipped(model, limit):
    state = nnx.state(model, nnx.Param)
    values = state.to_pure_dict()

    def clip(value):
        return jnp.clip(value, -limit, limit)

    clipped_values = jax.tree.map(clip, values)
    nnx.replace_by_pure_dict(state, clipped_values)
    nnx.update(model, state)


def last_step(folder):
    step = jnp.asarray(0)
    step = checkpoints.restore_checkpoint(folder, step, prefix="evaluated_")
    return int(step)


def differences(want, have):
    pairs = zip(jax.tree.leaves(want), jax.tree.leaves(have), strict=True)
    return [(a.shape, b.shape) for a, b in pairs if a.shape != b.shape]


def raise_on_mismatch(want, have):
    found = differences(want, have)
    if found:
        raise ValueError(f"another model: {found}")


def put_into(state, weights, rates):
    if weights:
        nnx.replace_by_pure_dict(state, weights)
    if rates:
        nnx.replace_by_pure_dict(state, rates)
    return state


def load(model, weights, rates):
    state = nnx.state(model)
    raise_on_mismatch(nnx.to_pure_dict(state), weights)
    return put_into(state, weights, rates)


def load_here(model, weights):
    state = nnx.state(model)
    raise_on_mismatch(nnx.to_pure_dict(state), weights)
    nnx.replace_by_pure_dict(state, weights)
    return state
