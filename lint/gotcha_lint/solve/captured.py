"""What a trace captures: the arrays in a value, their bytes, and whether a write changes them."""

from __future__ import annotations

from collections.abc import Iterable

from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import (
    Array,
    Mapping,
    Number,
    Object,
    Sequence,
    Symbol,
    Tuple,
    Value,
)
from gotcha_lint.interpret.events import (
    Location,
)


def changes(before: Value, after: Value) -> bool:
    """Does a write change what the trace has read? Arrays have no value here: one is a change."""
    if before == after:
        return (
            bool(after.marks)
            or any(isinstance(atom, (Array, Number)) for atom in after.atoms)
            or (after.unknown and not after.atoms)
        )
    still = ("function", "class", "module", "transform")
    kept = all(isinstance(a, Object) and a.site.kind in still for a in after.atoms)
    return after.unknown or not kept


def may_be_arrays(value: Value) -> bool:
    """Something unknown, or a tree of it: no function, class or model."""
    kinds = ("dict", "list", "object")
    return all(
        isinstance(atom, (Array, Tuple, Mapping, Sequence, Symbol))
        or (isinstance(atom, Object) and atom.site.kind in kinds)
        for atom in value.atoms
    )


def is_own_variable(place: Location) -> bool:
    """A parameter of a linen or haiku module: `apply` is given its value as an argument."""
    base = place[0]
    cls = base.info.get("class") if isinstance(base, Site) else None
    return cls is not None and any(
        name.startswith(("flax.linen", "haiku")) for name in cls.info["library"]
    )


def arrays_in(value: Value, depth: int = 0) -> Iterable[Array]:
    """The arrays in a value and in the containers that are values themselves."""
    if depth > 4:
        return
    for atom in value.atoms:
        if isinstance(atom, Array):
            yield atom
        elif isinstance(atom, Tuple):
            for item in atom.items:
                yield from arrays_in(item, depth + 1)
        elif isinstance(atom, Sequence):
            yield from arrays_in(atom.element, depth + 1)
        elif isinstance(atom, Mapping):
            for item in (*atom.values, *((atom.rest,) if atom.rest else ())):
                yield from arrays_in(item, depth + 1)
