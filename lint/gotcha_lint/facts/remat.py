"""Facts about `jax.checkpoint`, its policies, and what wraps it."""

from __future__ import annotations

# Policies as they are: they are asked about each operation. The others there make a policy.
POLICIES = frozenset(
    f"{module}.{name}"
    for module in ("jax.checkpoint_policies", "jax.ad_checkpoint.checkpoint_policies")
    for name in (
        "everything_saveable",
        "nothing_saveable",
        "dots_saveable",
        "checkpoint_dots",
        "dots_with_no_batch_dims_saveable",
        "checkpoint_dots_with_no_batch_dims",
    )
)

# They subtract 1 for `self`, and put two arguments of their own before the others: -1 becomes the
# first of these, -2 the last argument.
LIFTED = frozenset({"flax.linen.remat", "flax.linen.checkpoint"})
LIFTED_STATIC = 5  # position of their `static_argnums`

# What takes `prevent_cse`, by its canonical name.
WRAPPERS = LIFTED | {"jax.checkpoint", "flax.nnx.remat", "equinox.filter_checkpoint"}
# Loops that JAX compiles: nothing joins the operations of two iterations.
LOOPS = frozenset({"scan", "fori_loop", "while_loop", "remat_scan", "layer_stack", "lax.map"})
