"""Facts about sets, and about what keeps the order of what it is given."""

from __future__ import annotations

SETS = frozenset({"set", "frozenset"})
SET_METHODS = frozenset({"union", "intersection", "difference", "symmetric_difference", "copy"})
# Where the order of what they are given is not to be seen in what they give.
ORDER_FREE = frozenset(
    [
        "any",
        "all",
        "len",
        "max",
        "min",
        "set",
        "frozenset",
        "sorted",
        "dict",
        "Counter",
        "isdisjoint",
    ]
)
# They go through what they are given in its order.
IN_ORDER = frozenset(
    f"builtins.{name}" for name in ("enumerate", "iter", "list", "map", "reversed", "tuple", "zip")
)
# The order of the names of axes that these are given is a part of them; that of `reduced` is not.
OF_AXES = frozenset(
    ["jax.sharding.PartitionSpec", "jax.sharding.Mesh", "jax.make_mesh", "jax.P", "jax.sharding.P"]
)
AXES = "axis_names"  # of a mesh; a spec is given them by position
