"""Methods that the loaders of data call once for each example (torch 2, Grain 0.2)."""

from __future__ import annotations

_GRAIN = ("grain", "grain.python", "grain.transforms", "grain.sources", "grain.experimental")
_TRANSFORMS = {
    "MapTransform": "map",
    "Map": "map",
    "RandomMapTransform": "random_map",
    "RandomMap": "random_map",
    "MapWithIndexTransform": "map_with_index",
    "MapWithIndex": "map_with_index",
    "FilterTransform": "filter",
    "Filter": "filter",
    "FlatMapTransform": "flat_map",
    "RandomAccessDataSource": "__getitem__",
}

# The class that is derived from, and the method.
PER_EXAMPLE: dict[str, str] = {
    "torch.utils.data.Dataset": "__getitem__",
    "torch.utils.data.dataset.Dataset": "__getitem__",
    "torch.utils.data.IterableDataset": "__iter__",
    "torch.utils.data.dataset.IterableDataset": "__iter__",
    **{f"{place}.{name}": method for place in _GRAIN for name, method in _TRANSFORMS.items()},
}

# Functions that are given a function which runs for each example (webdataset 0.2 to 1.0).
MAPS = frozenset({"webdataset.map", "webdataset.filters.map"})

# What puts one thing on the device, and what makes one array of many.
TRANSFERS = frozenset({"jax.device_put", "jax.numpy.asarray", "jax.numpy.array"})
JOINS = frozenset(
    f"jax.numpy.{name}" for name in ("stack", "concatenate", "vstack", "hstack", "array", "asarray")
)
# ... of which those transfer each part by itself.
STACKS = JOINS - {"jax.numpy.array", "jax.numpy.asarray"}

# What makes one array, or one number, of a list; what only copies; who maps a function already.
GATHERS = JOINS | frozenset(
    f"numpy.{name}"
    for name in ("stack", "concatenate", "vstack", "hstack", "array", "asarray", "mean", "sum")
)
# What is cut or folded by these has many examples in each row.
GROUPS = frozenset({"split", "array_split", "hsplit", "vsplit", "dsplit", "reshape", "rearrange"})
COPIES = frozenset({"numpy.asarray", "numpy.array", "jax.device_get"})
MAPPED = frozenset({"vmap", "pmap", "nnx.vmap", "nnx.pmap", "shard_map"})
