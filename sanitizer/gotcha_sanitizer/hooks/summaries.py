"""Arrays as plain values: what is needed to see that their contents changed, and how."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from gotcha_sanitizer.hooks import private
from gotcha_sanitizer.hooks.other_keys import is_key, is_typed
from gotcha_sanitizer.hooks.readiness import is_on_cpu
from gotcha_sanitizer.values.training import Leaf

_SAMPLED = 4096  # elements
_COPIED = 2**24  # bytes of an array that is not in the host's memory
_LEAVES = 400  # of one tree


def leaves(jax: Any, tree: Any) -> Iterator[tuple[str, Any]]:
    """The path and the value of each array or number; an nnx module gives its state."""
    if _is_module(tree):
        tree = sys.modules["flax.nnx"].state(tree)
    found, _ = jax.tree_util.tree_flatten_with_path(tree)
    for path, leaf in found[:_LEAVES]:
        if type(leaf) in (int, float, bool) or (hasattr(leaf, "dtype") and hasattr(leaf, "shape")):
            yield jax.tree_util.keystr(path), leaf


def _is_module(tree: Any) -> bool:
    nnx = sys.modules.get("flax.nnx")
    return nnx is not None and isinstance(tree, nnx.Module)


def is_updated_in_place(tree: Any) -> bool:
    """A module or an optimizer of nnx: a call under `nnx.jit` changes the object itself."""
    return _is_module(tree)


def leaf_of(array: Any) -> Leaf | None:
    """Waits for the array. None for one that is gone, abstract, or too large to copy."""
    if isinstance(array, (bool, int, float)):
        number = float(array)
        return Leaf((), type(array).__name__, hash(number), number, True, number == 0)
    dtype, shape = str(array.dtype), tuple(array.shape)
    typed = is_typed(array)
    held = getattr(array, private.KEY_DATA, array) if typed else array
    data = _host(held)
    if data is None:
        return None
    flat = data.reshape(-1)
    sample = np.ascontiguousarray(flat[:: max(1, -(-flat.size // _SAMPLED))])
    key = is_key(array)
    if not sample.size:
        return Leaf(shape, dtype, 0, key=key)
    single = (
        float(sample[0]) if shape == () and not typed and sample.dtype.kind not in "c" else None
    )
    equal = bool((sample == sample[0]).all())
    nan = bool((sample != sample).any())
    return Leaf(shape, dtype, digest(sample), single, equal, equal and not sample[0], key, nan)


def copied(array: Any) -> Any:
    """On the host, for an array of a device: it may be donated later."""
    return array if isinstance(array, (bool, int, float)) else _copy(array)


def _copy(array: Any) -> Any:
    data = None if is_typed(array) else _host(array)
    return array if data is None else data.copy()


def digest(data: np.ndarray) -> int:
    return int.from_bytes(hashlib.blake2b(data.tobytes(), digest_size=8).digest(), "little")


def _host(array: Any) -> np.ndarray | None:
    if isinstance(array, (np.ndarray, np.generic)):
        return np.asarray(array)
    try:
        if array.is_deleted() or not array.is_fully_addressable:
            return None
        if not is_on_cpu(array) and array.nbytes > _COPIED:
            return None
        return np.asarray(array)
    except (AttributeError, RuntimeError):
        return None


def drifts(array: Any) -> bool:
    """One array on several devices, each of which has another copy of what should be the same.

    Either it is replicated, or its first axis has one row for each device, as under `pmap`.
    """
    devices = len(getattr(getattr(array, "sharding", None), "device_set", ()))
    if devices < 2 or not array.is_fully_addressable or array.is_deleted():
        return False
    shards = [np.asarray(shard.data) for shard in array.addressable_shards]
    rows = array.shape[:1] == (devices,) and all(s.shape[:1] == (1,) for s in shards)
    if not array.is_fully_replicated and not rows:
        return False
    return len({digest(np.ascontiguousarray(shard)) for shard in shards}) > 1
