"""What still works with a warning: qualified name -> since which release, and what to use instead.

Each row was tried on jax 0.10.2 and 0.12.0.1 with flax 0.12 and optax 0.2.8; when its warning
began, on the last release of every minor version of jax since 0.4.30, or by reading the wheels of
flax and optax. What is gone by now is in removed.py.
"""

from __future__ import annotations

from gotcha_lint.facts.releases import Removed
from gotcha_lint.facts.removed import REMOVED

LIBRARIES: set[str] = set()


def _of_jax(names: str, since: tuple[int, int], instead: str = "") -> dict[str, Removed]:
    return {f"jax.{name}": Removed(instead, since=since) for name in names.split()}


# Those of jax.core warn in 0.10 only: in 0.11 they are gone.
_LAST_CALL = {
    name: row._replace(since=(0, 10))
    for name, row in REMOVED.items()
    if row.since == (0, 11) and name.startswith("jax.core.")
}

DEPRECATED: dict[str, Removed] = {
    **_LAST_CALL,
    "jax.host_id": Removed("jax.process_index", True, since=(0, 4)),
    "jax.host_count": Removed("jax.process_count", True, since=(0, 4)),
    "jax.host_ids": Removed("jax.process_indices", True, since=(0, 4)),
    **_of_jax("experimental.pjit.pjit", (0, 8), "jax.jit"),
    **_of_jax("experimental.shard_map.shard_map", (0, 8), "jax.shard_map (check_rep is check_vma)"),
    **_of_jax("interpreters.pxla.thread_resources", (0, 8), "jax.set_mesh and jax.sharding"),
    **_of_jax(
        "interpreters.pxla.MeshComputation interpreters.pxla.global_avals_to_results_handler",
        (0, 8),
    ),
    **_of_jax("scipy.special.lpmn scipy.special.lpmn_values", (0, 5)),
    **_of_jax("core.pytype_aval_mappings", (0, 10)),
    **_of_jax("lax.psend lax.precv", (0, 12)),
    "flax.nnx.VariableState": Removed("flax.nnx.Variable", False, (0, 12), "flax"),
    "flax.traverse_util.Traversal": Removed("", False, (0, 4), "flax"),
    "flax.training.prefetch_iterator.PrefetchIterator": Removed("", False, (0, 4), "flax"),
    "optax.global_norm": Removed("optax.tree.norm", True, (0, 2, 7), "optax"),
    "optax.tree_utils.tree_l2_norm": Removed(
        "optax.tree_utils.tree_norm", True, (0, 2, 5), "optax"
    ),
    "optax.tree_utils.tree_scalar_mul": Removed(
        "optax.tree_utils.tree_scale", True, (0, 2, 5), "optax"
    ),
    "flax.linen.SelfAttention": Removed(
        "flax.linen.MultiHeadDotProductAttention, called with one input", False, (0, 12), "flax"
    ),
    "optax.dpsgd": Removed("optax.contrib.dpsgd", True, (0, 2, 3), "optax"),
}

# Arguments of jax.jit that warn, with each release that was tried.
JIT_ARGUMENTS = ("backend", "device")
# How many arguments a function still takes by position without a warning, and since when.
POSITIONAL: dict[str, tuple[int, tuple[int, int]]] = {"jax.numpy.array": (2, (0, 10))}
# Arguments, by position and name, that a library keeps for older code -> what to do instead.
ARGUMENTS: dict[str, tuple[int, str, str]] = {
    "orbax.checkpoint.CheckpointManager": (
        1,
        "checkpointers",
        "leave it out, and give `args=` to `save` and `restore`",
    ),
}
LAST_WORDS = frozenset(name.rpartition(".")[2] for name in DEPRECATED)
