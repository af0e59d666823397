"""What is gone from Flax and Optax, and since when.

Read from the wheels of flax 0.4.2 to 0.12.8 (31 releases) and optax 0.1.3 to 0.2.8 (all): the
release named is the first whose package no longer has the name. All of them are gone from flax
0.12.8 and optax 0.2.8.
"""

from __future__ import annotations

from gotcha_lint.facts.releases import Release, Removed

LIBRARIES: set[str] = set()


def _gone(module: str, names: str, since: Release, instead: str = "") -> dict[str, Removed]:
    library = module.partition(".")[0]
    return {f"{module}.{n}": Removed(instead, since=since, library=library) for n in names.split()}


def _moved(module: str, pairs: str, since: Release) -> dict[str, Removed]:
    """`a=b.c` words: module.a is now b.c, and takes the same arguments."""
    split = (pair.partition("=")[::2] for pair in pairs.split())
    library = module.partition(".")[0]
    return {f"{module}.{old}": Removed(new, True, since, library) for old, new in split}


ROWS_GONE: dict[str, Removed] = {
    **_gone("flax", "nn deprecated", (0, 4), "flax.linen or flax.nnx"),
    **_gone("flax", "optim", (0, 6), "optax"),
    **_moved("flax.linen", "ConvLSTM=flax.linen.ConvLSTMCell", (0, 6, 4)),
    **_gone("flax.linen", "GeGLU", (0, 10, 1), "flax.linen.gelu between two layers"),
    **_gone("flax.nnx", "EMPTY Empty TreeNode errors nnx", (0, 10)),
    **_gone("flax.nnx.bridge", "ModuleMeta", (0, 10, 2)),
    **_gone("flax.nnx", "register_variable_name_type_pair", (0, 10, 4), "register_variable_name"),
    **_gone(
        "flax.nnx", "Jit Pmap Remat Scan Vmap", (0, 10, 6), "the function: nnx.jit, nnx.vmap, ..."
    ),
    **_gone("flax.nnx", "fork ForkStates", (0, 11), "flax.nnx.fork_rngs"),
    **_gone("flax.nnx", "field", (0, 11), "flax.nnx.data and flax.nnx.static"),
    **_gone(
        "flax.nnx",
        "MutableArray mutable mutable_array freeze is_mutable_array",
        (0, 11, 1),
        "jax.Ref",
    ),
    **_moved("flax.nnx", "with_sharding_constraint=jax.lax.with_sharding_constraint", (0, 11, 2)),
    **_moved("flax.nnx", "is_data_type=flax.nnx.is_data", (0, 12)),
    **_gone(
        "flax.nnx",
        "ArrayRef array_ref is_array_ref to_arrays to_refs use_refs using_refs",
        (0, 12, 1),
        "jax.Ref",
    ),
    **_gone("optax", "ScaleByFromageState", (0, 1, 5)),
    **_moved(
        "optax",
        "additive_weight_decay=optax.add_decayed_weights hvp=optax.second_order.hvp "
        "fisher_diag=optax.second_order.fisher_diag "
        "hessian_diag=optax.second_order.hessian_diag",
        (0, 1, 8),
    ),
    **_gone("optax", "AdditiveWeightDecayState", (0, 1, 8)),
    **_gone(
        "optax",
        "control_delta_method control_variates_jacobians measure_valued_jacobians "
        "moving_avg_baseline pathwise_jacobians score_function_jacobians",
        (0, 1, 8),
    ),
    **_gone("optax", "maybe_update MaybeUpdateState", (0, 2, 5), "optax.conditionally_transform"),
    **_gone("optax", "monte_carlo", (0, 2, 7)),
}
