"""A call that the table is asked for, as a rule of shapes sees it; the registry of these rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any, TypeVar

from gotcha_lint.facts.avals.values import (
    Aval,
    Dim,
    Scalar,
    Shape,
    Unknown,
    refuse,
    unknown,
)

SEQUENCES = frozenset(("cases", "arrays", "tup", "operands", "xi", "xs", "args", "arys"))
RULES: dict[str, Callable[..., Any]] = {}
_Rule = TypeVar("_Rule", bound=Callable[..., Any])


def rule(function: _Rule) -> _Rule:
    """Registers a rule of shapes under its name, which rows of the table use."""
    RULES[function.__name__] = function
    return function


class Call:
    """Bound arguments of one call; every parameter that is read is remembered."""

    def __init__(self, row: dict[str, Any], given: dict[str, Any]) -> None:
        self.row = row
        self.given = given
        self.read: set[str] = set()

    def get(self, *names: str, default: Any = None) -> Any:
        """The first of these parameters that is given, or has a default."""
        defaults = self.row.get("def", {})
        for name in names:
            self.read.add(name)
            if name in self.given:
                value = self.given[name]
                if isinstance(value, Unknown):
                    unknown(name)
                known = isinstance(value, Scalar) and value.value is not None
                return value.value if known else value
            if name in defaults:
                value = defaults[name]
                return tuple(value) if isinstance(value, list) else value
        return default

    def operand(self, name: str) -> Any:
        self.read.add(name)
        return self.given[name] if name in self.given else refuse(f"{name} missing")

    def operands(self) -> list[Any]:
        """The arguments that take part in the type."""
        out: list[Any] = []
        for name in self.row["ops"]:
            if name in self.given and self.given[name] is not None:
                self.read.add(name)
                out += spread(name, self.given[name])
        return out or refuse("no operand")

    def shapes(self) -> list[Shape]:
        return [shape_of(value) for value in self.operands()]


def spread(name: str, value: Any) -> list[Any]:
    """An argument that holds several operands, one by one."""
    if name in SEQUENCES and isinstance(value, (list, tuple)):
        return list(value)
    return [value]


def shape_of(value: Any) -> Shape:
    if isinstance(value, Aval):
        return value.shape if value.shape is not None else unknown("shape")
    if isinstance(value, (Scalar, bool, int, float, complex, Dim)):
        return ()
    if isinstance(value, (list, tuple)) and value:
        return (len(value), *broadcast([shape_of(part) for part in value]))
    unknown("operand")


def is_size(value: Any) -> bool:
    return isinstance(value, (int, Dim))


def broadcast(shapes: Iterable[Shape]) -> Shape:
    reverse = [shape[::-1] for shape in shapes]
    return tuple(_common(sizes) for sizes in zip_longest(*reverse, fillvalue=1))[::-1]


def _common(sizes: Sequence[Any]) -> Any:
    kept = [size for size in sizes if size != 1]
    numbers = {size for size in kept if isinstance(size, int)}
    if len(numbers) > 1:
        refuse("shapes do not broadcast")
    if numbers:
        return numbers.pop()
    if len(set(kept)) > 1:
        unknown("are the sizes equal?")
    return kept[0] if kept else 1


def same(a: Any, b: Any) -> Any:
    """The size that both are."""
    if a != b and isinstance(a, int) and isinstance(b, int):
        refuse("sizes differ")
    if a != b:
        unknown("are the sizes equal?")
    return a


def axis_of(axis: Any, rank: int) -> int:
    if axis is None or isinstance(axis, (tuple, list)):
        refuse("axis")
    if not isinstance(axis, int):
        unknown("axis")
    if not -rank <= axis < rank:
        refuse("axis out of range")
    return axis % rank


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(rank))
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    return tuple(axis_of(one, rank) for one in given)


def as_shape(value: Any) -> Shape:
    if is_size(value) and not isinstance(value, bool):
        value = (value,)
    if value is None:
        refuse("no shape")
    if not isinstance(value, (tuple, list)) or not all(map(is_size, value)):
        unknown("shape")
    if any(isinstance(size, int) and size < 0 for size in value):
        refuse("negative size")
    return tuple(value)


def covers(shape: Shape, other: Shape) -> Shape:
    """`shape`, if `other` broadcasts to it; a symbol could be 1, so only numbers refuse."""
    both = broadcast([shape, other])
    if both == shape:
        return shape
    if any(isinstance(d, Dim) for d in (*shape, *other)):
        unknown("does it broadcast?")
    refuse("shape is too small")
