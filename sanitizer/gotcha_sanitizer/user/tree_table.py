"""`print(describe(tree))`: what is in a tree of arrays, leaf by leaf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gotcha_sanitizer.guard import unseen
from gotcha_sanitizer.values.words import size


@dataclass(frozen=True)
class Row:
    """One leaf. `low`, `high` and `mean` (of absolute values) leave out what is not finite.

    `note` says why there are no values: `deleted`, `traced`, `on other hosts`, or the type of what
    is no array.
    """

    path: str
    shape: tuple[int, ...]
    dtype: str
    weak: bool = False
    sharding: str = ""
    committed: bool | None = None
    nans: int = 0
    infs: int = 0
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    bytes: int = 0
    note: str = ""

    @property
    def finite(self) -> bool:
        return not self.nans and not self.infs

    def cells(self) -> tuple[str, ...]:
        kind = f"{self.dtype}[{','.join(map(str, self.shape))}]{' weak' if self.weak else ''}"
        where = self.sharding + (" committed" if self.committed else "")
        bad = ", ".join(f"{n} {what}" for n, what in ((self.nans, "nan"), (self.infs, "inf")) if n)
        low, high, mean = (
            f"{v:.4g}" if v is not None else "" for v in (self.low, self.high, self.mean)
        )
        state = self.note or bad or ("finite" if self.mean is not None else "")
        return (self.path, kind, where, state, low, high, mean, size(self.bytes))


_NUMBERS = ("float", "bfloat", "complex", "int", "uint", "bool")
_HEADS = ("leaf", "type", "sharding", "values", "min", "max", "mean |x|", "size")


@dataclass(frozen=True)
class Description:
    """The leaves of a tree in order; `str` of it is a table."""

    rows: tuple[Row, ...]

    @property
    def bytes(self) -> int:
        return sum(row.bytes for row in self.rows)

    @property
    def finite(self) -> bool:
        return all(row.finite for row in self.rows)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        table = [_HEADS, *(row.cells() for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for cells in table:
            pairs = zip(cells, widths, strict=True)
            yield "  ".join(f"{cell:<{width}}" for cell, width in pairs).rstrip()
        count = len(self.rows)
        yield f"{count} {'leaf' if count == 1 else 'leaves'}, {size(self.bytes)}"


def describe(tree: Any) -> Description:
    """Shape, dtype, sharding and range of each leaf of a tree.

    Waits for the arrays and copies each to the host, one by one: not for inside a training step.
    Traced, deleted and remote arrays are listed without values. Never raises for a leaf.
    """
    import jax

    with unseen():
        flat = jax.tree_util.tree_flatten_with_path(tree, is_leaf=lambda x: x is None)[0]
        return Description(tuple(_row(jax, jax.tree_util.keystr(p) or ".", x) for p, x in flat))


def _row(jax: Any, path: str, leaf: Any) -> Row:
    if isinstance(leaf, jax.core.Tracer):
        return Row(path, tuple(leaf.shape), str(leaf.dtype), _weak(leaf), note="traced")
    if isinstance(leaf, jax.Array):
        return _of_device_array(jax, path, leaf)
    if isinstance(leaf, (np.ndarray, np.generic)):
        values = np.asarray(leaf)
        row = Row(path, values.shape, str(values.dtype), sharding="host", bytes=values.nbytes)
        numbers = str(values.dtype).startswith(_NUMBERS)  # by name: bfloat16 is of kind V
        return _with_values(row, values) if numbers else row
    if isinstance(leaf, (bool, int, float, complex)):
        row = Row(path, (), type(leaf).__name__, weak=True, sharding="host")
        return _with_values(row, np.asarray(leaf))
    return Row(path, (), type(leaf).__name__, note="no array")


def _of_device_array(jax: Any, path: str, leaf: Any) -> Row:
    row = Row(path, tuple(leaf.shape), str(leaf.dtype), _weak(leaf))
    if leaf.is_deleted():
        return replace(row, note="deleted")
    typed = jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    data = jax.random.key_data(leaf) if typed else leaf
    row = replace(
        row,
        sharding=_sharding(leaf),
        committed=bool(getattr(leaf, "committed", False)),
        bytes=data.nbytes,
        note="random key" if typed else "",
    )
    if typed:
        return row
    if not leaf.is_fully_addressable:
        return replace(row, note="on other hosts")
    return _with_values(row, np.asarray(leaf))


def _weak(leaf: Any) -> bool:
    return bool(getattr(leaf, "weak_type", False) or getattr(leaf.aval, "weak_type", False))


def _sharding(leaf: Any) -> str:
    """The device of an array on one, else the axes and the number of devices."""
    sharding = leaf.sharding
    devices = sharding.device_set
    if len(devices) == 1:
        (device,) = devices
        return f"{device.platform}:{device.id}"
    spec = getattr(sharding, "spec", None)
    axes = ", ".join(map(str, spec)) if spec is not None else type(sharding).__name__
    return f"({axes}) on {len(devices)}"


def _with_values(row: Row, values: np.ndarray) -> Row:
    if not values.size:
        return row
    finite = np.isfinite(values)
    nans = int(np.isnan(values).sum())
    infs = int(values.size - finite.sum()) - nans
    kept = values[finite]
    kept = np.abs(kept) if np.iscomplexobj(kept) else kept
    if not kept.size:
        return replace(row, nans=nans, infs=infs)
    wide = kept.astype(np.float64)
    mean = float(np.abs(wide).mean())
    return replace(
        row, nans=nans, infs=infs, low=float(wide.min()), high=float(wide.max()), mean=mean
    )
