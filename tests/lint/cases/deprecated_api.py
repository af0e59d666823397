import flax.traverse_util
import functools
import numpy as np
import jax
import jax.numpy as jnp
import optax
import orbax.checkpoint as ocp
from flax import linen, nnx
from jax.experimental.pjit import pjit  # ! deprecated-api
from jax.experimental.shard_map import shard_map as smap  # ! deprecated-api
from optax import tree_utils as otu
from orbax.checkpoint import CheckpointManager, CheckpointManagerOptions, PyTreeCheckpointer

try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map


def host():
    return jax.host_id()  # ! deprecated-api


def host_now():
    return jax.process_index(), jax.process_count()


def norm(tree):
    return optax.global_norm(tree)  # ! deprecated-api


def norm_now(tree):
    return optax.tree.norm(tree)


def l2(tree):
    return otu.tree_l2_norm(tree)  # ! deprecated-api


def on_host(f):
    return jax.jit(f, backend="cpu")  # ! deprecated-api


def anywhere(f):
    return jax.jit(f, backend=None)


def passed_on(f, backend=None):
    return jax.jit(f, backend=backend)


def state(x):
    return isinstance(x, nnx.VariableState)  # ! deprecated-api


def state_now(x):
    return isinstance(x, nnx.Variable)


def concrete(x):
    return jax.core.is_concrete(x)  # ! deprecated-api


def traced(x):
    return isinstance(x, jax.core.Tracer)


def keys():
    return jax.random.PRNGKey(0)  # without a warning


def by_version(tree):
    if optax.__version__ >= "0.2.6":
        return optax.tree.norm(tree)
    return optax.global_norm(tree)


def by_name(tree):
    if hasattr(optax, "tree"):
        return optax.tree.norm(tree)
    return optax.global_norm(tree)


def other(optax, tree):
    return optax.global_norm(tree)


class Norms:
    def global_norm(self, tree):
        return jnp.sum(tree)

    def both(self, tree):
        return self.global_norm(tree) + optax.global_norm(tree)  # ! deprecated-api


def flat(tree):
    return flax.traverse_util.flatten_dict(tree)


def apply(f, x):
    return pjit(f)(x), smap(f), shard_map(f)  # told at the import


def on_a_backend(x):
    compiled = functools.partial(jax.jit, backend="cpu")  # ! deprecated-api
    return compiled(jnp.sum)(x)


def with_static(x):
    compiled = functools.partial(jax.jit, static_argnames=("backend",))
    return compiled(jnp.sum)(x)


def a_copy(x):
    return jnp.array(x, jnp.float32, True)  # ! deprecated-api


def a_named_copy(x):
    return jnp.array(x, jnp.float32, copy=True), np.array(x, np.float32, True)


def manager(path):
    options = CheckpointManagerOptions(max_to_keep=1)
    return CheckpointManager(path, PyTreeCheckpointer(), options)  # ! deprecated-api


def manager_of_two(path, table):
    return ocp.CheckpointManager(path, checkpointers=table)  # ! deprecated-api


def manager_now(path):
    options = CheckpointManagerOptions(max_to_keep=1)
    return CheckpointManager(path, options=options), ocp.CheckpointManager(path, None, options)


class Scaled(nnx.Module):
    def __init__(self, other):
        self.scale = nnx.Param(jnp.ones(()))
        self.other = other

    def __call__(self, x):
        return x * self.scale.value  # ! deprecated-api

    def reset(self):
        self.scale.value = jnp.ones(())  # ! deprecated-api

    def of_another_thing(self, x):
        return x * self.other.value + self.scale[...]

    def asked(self, x):
        return x * (self.scale.get_value() if hasattr(nnx.Param, "get_value") else 1)


def scaled_tree(tree):
    return otu.tree_scalar_mul(2.0, tree), otu.tree_scale(2.0, tree)  # ! deprecated-api


def self_attention(x):
    return linen.SelfAttention(4)(x)  # ! deprecated-api


def attention(x):
    return linen.MultiHeadDotProductAttention(4)(x)
