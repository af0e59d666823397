"""Loaders of data, and where each says whether the last, smaller batch is left out.

From the signatures of torch 2, jax_dataloader 0.1, TensorFlow 2 (tf.data), Grain 0.2 and
datasets 4; tqdm and flax hand on the items that they are given.
"""

from __future__ import annotations

from typing import NamedTuple

LIBRARIES: set[str] = set()


class Batching(NamedTuple):
    """Which arguments say how large a batch is, and that the remainder is dropped."""

    size: int  # position of `batch_size`
    flag: str  # keyword of the other
    position: int = -1  # ... and its position; -1: it has none


# Classes that give batches.
LOADERS: dict[str, Batching] = {
    "torch.utils.data.DataLoader": Batching(1, "drop_last", 8),
    "jax_dataloader.DataLoader": Batching(2, "drop_last", 4),
}
# Methods of datasets that make batches of examples ...
BATCHES: dict[str, Batching] = {
    "batch": Batching(0, "drop_remainder", 1),
    "iter": Batching(0, "drop_last_batch", 1),
}
# ... and those after which the examples, or the batches, are what they were.
STEPS = frozenset([
    "shuffle", "prefetch", "cache", "with_options", "as_numpy_iterator", "with_format", "seed",
    "to_iter_dataset", "mp_prefetch", "set_format",
])  # fmt: skip
# ... and others that give a new dataset and leave the old one as it was, in any library ...
ANEW = frozenset([
    *BATCHES, *STEPS, "repeat", "skip", "take", "select", "shard", "concatenate", "slice", "sort",
    "rename_column", "rename_columns", "remove_columns", "select_columns", "add_column", "cast",
    "cast_column", "flatten", "flatten_indices", "padded_batch", "unbatch", "window", "enumerate",
    "interleave", "flat_map", "take_while", "zip", "train_test_split",
]) - {"set_format", "iter", "as_numpy_iterator"}  # fmt: skip
# ... where nothing is computed before somebody asks for elements; else a function may be the aim.
LAZY = frozenset(["map", "filter", "apply"])
ENDLESS = "repeat"  # without a number
EACH = "map"

ALIASES: dict[str, str] = {
    "torch.utils.data.dataloader.DataLoader": "torch.utils.data.DataLoader",
    "grain.python.MapDataset": "grain.MapDataset",
    "grain.python.IterDataset": "grain.IterDataset",
    "datasets.arrow_dataset.Dataset": "datasets.Dataset",
}
