"""Words of code that means the axes of its meshes to be explicit."""

from __future__ import annotations

EXPLICIT = frozenset({"Explicit", "explicit_axes", "auto_axes", "reshard"})
# In the file that makes the mesh, what only asks for the axes counts as well: of a file beside it
# that would not tell which mesh is meant.
EXPLICIT_HERE = EXPLICIT | {"AxisType", "typeof", "out_sharding"}
# What the devices of one axis do together. A loss that is summed has the gradient of each device's
# own part still, where replication is not checked.
SUMS = frozenset({"psum", "pmean"})
COLLECTIVES = SUMS | {
    *("pmax", "pmin", "psum_scatter", "all_gather", "all_gather_invariant", "all_to_all"),
    *("ppermute", "pshuffle", "pswapaxes", "pbroadcast", "pcast", "pvary", "axis_index"),
    *("ragged_all_to_all", "process_allgather"),
}
# What a gradient may be given to: it changes nothing between devices, unless told to by a function.
LOCAL = ("jax.", "optax.", "builtins.", "array.", "numpy.", "dict.", "list.", "tuple.")
