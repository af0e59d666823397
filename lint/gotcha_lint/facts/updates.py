"""Facts about functional updates: what returns a new value and leaves the old one as it was."""

from __future__ import annotations

AT_UPDATES = frozenset(
    ["set", "add", "subtract", "mul", "multiply", "min", "max", "divide", "power", "apply"]
)
# Methods of arrays whose only effect is their result; `sort` and `resize` of numpy work in place.
ARRAY_UPDATES = frozenset(
    [
        "astype",
        "clip",
        "conj",
        "cumprod",
        "cumsum",
        "flatten",
        "ravel",
        "repeat",
        "reshape",
        "round",
        "sort",
        "squeeze",
        "swapaxes",
        "take",
        "transpose",
        "sum",
        "mean",
    ]
)
STATE_UPDATES = frozenset({"replace", "apply_gradients", "_replace"})
# Classes, and decorators of classes, whose instances are updated by `replace`.
STRUCTS = frozenset(
    [
        "flax.training.train_state.TrainState",
        "flax.struct.PyTreeNode",
        "flax.struct.dataclass",
        "chex.dataclass",
        "brax.base.Base",
        "jdc.pytree_dataclass",
        "jax_dataclasses.pytree_dataclass",
        "typing.NamedTuple",
    ]
)
# Written as a statement they look like an assertion, and are none.
COMPARISONS = frozenset(
    f"jax.numpy.{name}"
    for name in ("allclose", "array_equal", "array_equiv", "isclose", "equal", "all", "any")
)
# Functions whose only effect is their result, with the position of what they update.
PURE = dict.fromkeys(
    (
        *("optax.apply_updates", "optax.incremental_update", "equinox.apply_updates"),
        *("dataclasses.replace", "flax.core.freeze", "flax.core.unfreeze", "jax.device_put"),
        *("jax.lax.with_sharding_constraint", "jax.lax.stop_gradient", "jax.lax.psum"),
        *("jax.lax.pmean", "jax.lax.dynamic_update_slice", "jax.lax.dynamic_update_index_in_dim"),
    ),
    0,
) | {"equinox.tree_at": 1}
