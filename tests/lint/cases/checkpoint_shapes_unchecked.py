import chex
import flax
import jax
import jax.numpy as jnp
import orbax.checkpoint as ocp
from flax import nnx, serialization
from flax.training import checkpoints


def from_bytes(params, path):
    with open(path, "rb") as file:
        return serialization.from_bytes(params, file.read())  # ! checkpoint-shapes-unchecked


def raw(path):
    with open(path, "rb") as file:
        return serialization.from_bytes(None, file.read())


def checked(params, data):
    loaded = flax.serialization.from_bytes(params, data)
    chex.assert_trees_all_equal_shapes(loaded, params)
    return loaded


def legacy(path, target):
    return ocp.PyTreeCheckpointer().restore(path, item=target)  # ! checkpoint-shapes-unchecked


def standard(path, target):
    return ocp.StandardCheckpointer().restore(path, target)


def without_target(path):
    return ocp.PyTreeCheckpointer().restore(path)


def newest(folder, state):
    return checkpoints.restore_checkpoint(folder, state)  # ! checkpoint-shapes-unchecked


def newest_raw(folder):
    return checkpoints.restore_checkpoint(folder, target=None)


def nested_from_state_dict(target, states):
    return type(target)(serialization.from_state_dict(dict(target), states))


def put_into_a_model(model, saved):
    state = nnx.state(model)
    nnx.replace_by_pure_dict(state, saved)  # ! checkpoint-shapes-unchecked
    nnx.update(model, state)


def put_into_an_equal_model(model, saved):
    state = nnx.state(model)
    if jax.tree.map(jnp.shape, saved) != jax.tree.map(jnp.shape, nnx.to_pure_dict(state)):
        raise ValueError("another model")
    nnx.replace_by_pure_dict(state, saved)
    nnx.update(model, state)


def into_a_live_tree(params, saved):
    merged = serialization.to_state_dict(params)
    merged.update(saved)
    return serialization.from_state_dict(params, merged)  # ! checkpoint-shapes-unchecked


def restored_like_a_live_tree(model, path):
    state = nnx.state(model)
    saved = ocp.PyTreeCheckpointer().restore(path, restore_args=state.to_pure_dict())
    nnx.replace_by_pure_dict(state, saved)  # ! checkpoint-shapes-unchecked
    return state


def check_the_folder(path):
    if not path:
        raise ValueError("no folder")


def after_another_check(path, state):
    check_the_folder(path)
    return checkpoints.restore_checkpoint(path, state)  # ! checkpoint-shapes-unchecked


def from_one_who_checks(path, state):
    return checkpoints.restore_checkpoint(path, state)  # ! checkpoint-shapes-unchecked


def compare(want, have):
    chex.assert_trees_all_equal_shapes(want, have)
    if not have:
        raise ValueError("nothing is stored")


def one_compares(path, state):
    loaded = from_one_who_checks(path, state)
    compare(state, loaded)
    return loaded


def one_does_not(path, state):
    return from_one_who_checks(path, state)


def into_a_new_one(create, key, state):
    stored = serialization.to_state_dict(state)
    return serialization.from_state_dict(create(key), stored)  # ! checkpoint-shapes-unchecked


def into_the_same(state):
    stored = serialization.to_state_dict(state)
    return serialization.from_state_dict(state, stored)


def as_arrays(path, restore_args):
    options = ocp.args.PyTreeRestore(restore_args=restore_args)
    ocp.PyTreeCheckpointer().restore(path, options)
    return ocp.PyTreeCheckpointer().restore(path, options, item=None)
