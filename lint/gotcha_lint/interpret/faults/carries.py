"""Carries of `scan`, `while_loop` and `fori_loop`: they must come back as they went in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.value import Array, Constant, Number, Object, Tuple, Value
from gotcha_lint.interpret.arrays import as_arrays, canonical_dtype
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.heap import class_of, contents, mapping_of
from gotcha_lint.interpret.machine import Machine

_DEPTH = 4


@dataclass(frozen=True)
class _Difference:
    label: str  # of the leaf
    before: str
    after: str
    given: Origin | None = None
    back: Origin | None = None


def check_carry(machine: Machine, loop: str, given: Value, back: Value, span: Span) -> None:
    """Notes the first leaf that comes back with another type or shape, or another structure."""
    found = _difference(machine, given, back, "", 0)
    if found is not None:
        words = ((found.given, "goes in as made here"), (found.back, "comes back as made here"))
        places = tuple((*at, word) for at, word in words if at is not None)
        text = loop, found.label, found.before, found.after
        remark(machine, "carry", span, *text, places=places)


def _difference(machine: Machine, a: Value, b: Value, label: str, depth: int) -> _Difference | None:
    one, other = a.only, b.only
    if one is None or other is None or depth > _DEPTH:
        return None
    if a.is_none and not _is_written_in(machine, a):
        return None  # a parameter's default: no call without it was seen
    if a.is_none != b.is_none:
        arrays = [v for v in (a, b) if isinstance(v.only, (Array, Number, Constant))]
        if len(arrays) == 2:
            words = ["`None`" if v.is_none else "an array" for v in (a, b)]
            return _Difference(label, words[0], words[1], *map(_origin, arrays))
    if isinstance(one, (Array, Constant, Number)) and isinstance(other, (Array, Constant, Number)):
        return _of_leaves(machine, a, b, label)
    first, second = contents(machine, a), contents(machine, b)
    if isinstance(first, Tuple) and isinstance(second, Tuple):
        if len(first.items) != len(second.items):
            return _Difference(label, f"{len(first.items)} elements", f"{len(second.items)}")
        pairs = enumerate(zip(first.items, second.items, strict=True))
        named = ((f"{label}[{index}]", pair) for index, pair in pairs)
        return _first(machine, named, depth)
    left, right = mapping_of(machine, one), mapping_of(machine, other)
    if left is not None and right is not None and not (left.rest or right.rest):
        values = dict(zip(right.keys, right.values, strict=True))
        named = (
            (f"{label}[{key!r}]", (value, values[key]))
            for key, value in zip(left.keys, left.values, strict=True)
            if key in values
        )
        return _first(machine, named, depth)
    if isinstance(one, Object) and isinstance(other, Object):
        return _first(machine, _fields(machine, one, other, label), depth)
    return None


def _fields(
    machine: Machine, one: Object, other: Object, label: str
) -> Iterator[tuple[str, tuple[Value, Value]]]:
    """The fields of two objects of one class; none where they are one object, or not known.

    What the class itself holds (a default, a method) is no field that the object was given.
    """
    cls = class_of(one)
    if cls is None or cls is not class_of(other) or one.site is other.site:
        return
    for name in dict.fromkeys(name for name, _ in cls.info["fields"]):
        pair = machine.read((one.site, name)), machine.read((other.site, name))
        if pair[0] is not None and pair[1] is not None:
            yield f"{label}.{name}", (pair[0], pair[1])


def _origin(value: Value) -> Origin | None:
    return getattr(value.only, "origin", None)


def _is_written_in(machine: Machine, none: Value) -> bool:
    """Does this `None` stand in the body of the function that runs the loop?"""
    function = machine.activation.function
    first = function.body[0][-1][0] if function.body else function.line
    places = [atom.origin for atom in none.atoms if atom.origin is not None]
    return any(
        path == function.path and first <= span[0] <= function.end_line for path, span in places
    )


def _first(
    machine: Machine, named: Iterable[tuple[str, tuple[Value, Value]]], depth: int
) -> _Difference | None:
    for label, (a, b) in named:
        found = _difference(machine, a, b, label, depth + 1)
        if found is not None:
            return found
    return None


def _of_leaves(machine: Machine, a: Value, b: Value, label: str) -> _Difference | None:
    """A weak type gives way to the one that comes back."""
    before, after = as_arrays(a), as_arrays(b)
    if not before or not after:
        return None
    one, other = before[0], after[0]
    places = one.origin, other.origin
    types = canonical_dtype(one.dtype), canonical_dtype(other.dtype)
    if None not in types and types[0] != types[1] and not one.weak:
        return _Difference(label, f"{types[0]}", f"{types[1]}", *places)
    if one.shape is None or other.shape is None or machine.per_device:
        return None
    if len(one.shape) != len(other.shape):
        count = f"{len(one.shape)} dimensions"
        return _Difference(label, count, f"{len(other.shape)}", *places)
    sizes = [(x.constant, y.constant) for x, y in zip(one.shape, other.shape, strict=True)]
    if any(None not in pair and pair[0] != pair[1] for pair in sizes):
        shapes = _shape([x for x, _ in sizes]), _shape([y for _, y in sizes])
        return _Difference(label, *shapes, *places)
    return None


def _shape(sizes: list[int | None]) -> str:
    return "(" + ", ".join("?" if size is None else str(size) for size in sizes) + ")"
