import jax
import jax.numpy as jnp
from jax import random
from jax.config import config  # ! removed-api
from jax.experimental import host_callback as hcb  # ! removed-api
from jax.experimental.maps import Mesh, xmap  # ! removed-api
from jax.experimental.pjit import pjit

try:
    from jax import linear_util
except ImportError:
    from jax.extend import linear_util

if hasattr(jax, "tree_map"):
    tree_map = jax.tree_map
else:
    tree_map = jax.tree.map


def leaves(tree):
    return jax.tree_leaves(tree)  # ! removed-api


def leaves_now(tree):
    return jax.tree_util.tree_leaves(tree) + jax.tree.leaves(tree)


def draw(key: random.KeyArray):  # ! removed-api
    return random.normal(key)


def tap(x):
    return hcb.id_tap(print, x)


def by_version(f, tree):
    if jax.__version_info__ < (0, 4, 25):
        return jax.tree_map(f, tree)
    return jax.tree.map(f, tree)


def reshape(x):
    return jnp.reshape(x, newshape=(2, 3))  # ! removed-api


def reshape_now(x):
    return jnp.reshape(x, shape=(2, 3))


def shadowed(jax, tree):
    return jax.tree_leaves(tree)


def trapezoid(y):
    return jnp.trapz(y)  # ! removed-api


def device():
    return jnp.ones(3).device()  # ! removed-api


def device_of():
    return jnp.ones(3).device


def attempt(tree):
    try:
        return jax.tree_leaves(tree)
    except AttributeError:
        return jax.tree.leaves(tree)


def old_and_new(tree, jax_version):
    if jax_version >= (0, 5):
        return jax.tree.leaves(tree)
    return jax.tree_leaves(tree)


def buffers(x: jax.Array):
    if hasattr(x, "device_buffer"):
        return x.device_buffer.device()
    return x.device


def reset(env, tree):
    if hasattr(env, "tree"):  # of another object, and another name
        tree = jax.tree_leaves(tree)  # ! removed-api
    return getattr(env, "seed", None) and jax.tree_leaves(tree)  # ! removed-api


def reset_early(env, tree):
    if not hasattr(env, "unwrapped"):
        return None
    return jax.tree_leaves(tree)  # ! removed-api


def by_parent(tree):
    if not hasattr(jax, "tree"):
        return jax.tree_leaves(tree)
    return jax.tree.leaves(tree)


def by_name(library, tree):
    if hasattr(library, "tree_leaves"):
        return jax.tree_leaves(tree)
    return jax.tree.leaves(tree)


def by_any_name(name, tree):
    return jax.tree_leaves(tree) if getattr(jax.tree_util, name, None) else tree


def shown(tree, debug=False):
    if debug:
        print(jax.tree_map(jnp.shape, tree))  # ! removed-api
    return tree


@jax.jit
def shows_nothing(tree):
    return shown(tree)


def old_words_of_pjit(f, spec):
    return pjit(f, out_axis_resources=spec)  # ! removed-api


def place_of(batches):
    return batches[0].device_buffer.device()  # ! removed-api


def buffers_of(x):
    return [buffer.unsafe_buffer_pointer() for buffer in x.device_buffers]  # ! removed-api


def place_now(x):
    return x.addressable_data(0).devices()


def place_of_both(x):
    try:
        return x.device_buffer.device()
    except AttributeError:
        return x.device


def shared(source, target):
    encoder = source.params["encoder"]
    params = target.params.copy(add_or_replace={"encoder": encoder})  # ! removed-api
    return target.replace(params=params)


def thawed(model, key, x):
    return model.init(key, x)["params"].unfreeze()  # ! removed-api


def taken_apart(variables):
    state, params = variables.pop("params")  # ! removed-api
    return state, params


def shared_now(source, target):
    params = {**target.params, "encoder": source.params["encoder"]}
    return target.replace(params=params)


def copied(params):
    return params.copy()


def taken_out(variables):
    params = variables.pop("params")
    return variables, params


def thawed_layer(layer):
    return layer.unfreeze()
