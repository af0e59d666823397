"""Names that no release of a library has."""

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import optax
from flax import nnx
from flax.training.common_utils import get_logical_partition_rules  # ! cannot-run
from jax.tree_util import tree_map


def of_trees(tree, path):
    return jtu.tree_get(tree, path)  # ! cannot-run


def imported_here(tree):
    from jax.tree_util import tree_leaves, tree_take  # ! cannot-run

    import jax.sharding_utils  # ! cannot-run

    return tree_take(tree_leaves(tree), 1)


def nested(tree):
    def leaf(path, x):
        return jax.tree_util.tree_get(tree, path)  # ! cannot-run

    return jtu.tree_map_with_path(leaf, tree)


def of_optax(decay):
    return optax.tree_multistep(decay)  # ! cannot-run


def of_layers(x):
    return nn.relu7(nnx.relu(x)) + eqx.nn.GELU()(x)  # ! cannot-run


def the_names_are_there(x):
    optax.adam(1e-3), optax.contrib.schedule_free_adamw(1e-3), optax.ScaleByAdamState
    nn.compact, nn.initializers.lecun_normal(), nnx.Rngs(0), eqx.nn.Linear
    return jnp.sum(x) + jnp.linalg.norm(x) + jax.nn.relu(x) + tree_map(abs, x)


def private(x):
    return jax._src.core, jnp.__version__


def of_another_thing(x):
    jnp = x
    return jnp.no_such_name


def asked(tree):
    if hasattr(jax.tree_util, "tree_get"):
        return jax.tree_util.tree_get(tree)
    return jax.tree_util.tree_leaves(tree)


def tried(tree):
    try:
        return jax.tree_util.tree_get(tree)
    except AttributeError:
        return None


def set_here():
    jnp.my_own_function = abs
    return jnp.my_own_function(1)


def annotated(rngs: nnx.RNGs):  # ! cannot-run
    return rngs


def annotated_in_quotes(rngs: "nnx.RNGs"):
    return rngs


def imported_if_there():
    try:
        from flax.training.common_utils import get_partition_rules
    except ImportError:
        return None
    return get_partition_rules
