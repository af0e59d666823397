"""The shapes of the batches that a data loader gives: each different set is a compile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

_MOST_LEAVES = 10_000

Shapes = tuple[tuple[str, str, tuple[int, ...]], ...]
"""(path, dtype, shape) of each array of a batch."""


@dataclass(frozen=True)
class Census:
    """How often each set of shapes came. `varying` names the dimensions that differ."""

    batches: int
    sets: Mapping[Shapes, int]

    @property
    def varying(self) -> dict[tuple[str, int], list[int]]:
        """(path, axis) -> the different sizes, in order; structures that differ are left out."""
        sizes: dict[tuple[str, int], set[int]] = {}
        for shapes in self.sets:
            for path, _, shape in shapes:
                for axis, size in enumerate(shape):
                    sizes.setdefault((path, axis), set()).add(size)
        return {key: sorted(found) for key, found in sizes.items() if len(found) > 1}

    def bucketed(self) -> int:
        """Different sets when each varying dimension is padded to the next power of two."""
        varying = self.varying

        def padded(shapes: Shapes) -> Shapes:
            return tuple(
                (
                    path,
                    dtype,
                    tuple(_power(n) if (path, a) in varying else n for a, n in enumerate(shape)),
                )
                for path, dtype, shape in shapes
            )

        return len({padded(shapes) for shapes in self.sets})


def census(batches: Iterable[Any], most: int) -> Census:
    """Counts the sets of shapes of at most `most` batches; keeps none of them."""
    found: Counter[Shapes] = Counter()
    for number, batch in enumerate(batches, 1):
        found[tuple(leaves(batch))] += 1
        if number == most:
            break
    return Census(found.total(), found)


def leaves(batch: Any) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """The arrays of a batch: of numpy, JAX or torch, in dicts, sequences and dataclasses."""
    todo: list[tuple[str, Any]] = [("", batch)]
    seen = 0
    while todo and seen < _MOST_LEAVES:
        path, value = todo.pop()
        seen += 1
        if hasattr(value, "shape") and hasattr(value, "dtype"):
            yield path, str(value.dtype).removeprefix("torch."), tuple(map(int, value.shape))
        else:
            todo.extend(reversed(list(_children(path, value))))


def _children(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from ((f"{path}[{key!r}]", item) for key, item in value.items())
    elif hasattr(value, "_fields"):
        yield from ((f"{path}.{name}", getattr(value, name)) for name in value._fields)
    elif isinstance(value, (list, tuple)):
        yield from ((f"{path}[{number}]", item) for number, item in enumerate(value))
    elif is_dataclass(value):
        yield from ((f"{path}.{each.name}", getattr(value, each.name)) for each in fields(value))


def _power(size: int) -> int:
    return 1 << max(0, size - 1).bit_length()
