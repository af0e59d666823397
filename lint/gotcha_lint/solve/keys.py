"""Cache keys that are known to differ: how many programs the calls of one place need for certain.

Each call gives a key, or a few where a part of it takes a few known values in the turns of a loop.
A part that is not known is equal to everything, so the answer is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import FEW, Constant, Number, Object, Value
from gotcha_lint.interpret.events import CompiledCall
from gotcha_lint.interpret.leaves import Leaf

Part = tuple[str, str, int]  # kind of a variation, label of the argument, axis
Key = dict[Part, frozenset[object]]
_MOST = 64  # keys that are kept apart


@dataclass(frozen=True, slots=True)
class Differing:
    """A part in which a call's key differs from the earlier ones'."""

    kind: str  # as of a `Variation`, or "transform"
    label: str
    axis: int
    call: CompiledCall


def distinct(calls: Sequence[CompiledCall]) -> tuple[int, tuple[Differing, ...]]:
    """How many keys differ from each other, and in what."""
    every = [(key, call) for call in calls if not call.maybe for key in _keys(call)]
    every.sort(key=lambda each: -_certainty(each[0]))
    kept: list[tuple[Key, CompiledCall]] = []
    parts: dict[Part, Differing] = {}
    for key, call in every:
        found: list[Part] = []
        for old, other in kept:
            part = None if exclude(call, other) else _difference(key, old)
            if part is None:
                break
            found.append(part)
        else:
            kept.append((key, call))
            for kind, label, axis in found:
                parts.setdefault((kind, label, axis), Differing(kind, label, axis, call))
            if len(kept) == _MOST:
                break
    return len(kept), tuple(parts.values())


def exclude(a: CompiledCall, b: CompiledCall) -> bool:
    """Do they stand on different sides of one branch?"""
    sides = dict(a.sides)
    return a.within is b.within and any(sides.get(at, side) != side for at, side in b.sides)


def _certainty(key: Key) -> int:
    """The keys of which most is known come first: one that may be anything equals them all."""
    return sum(len(known) == 1 for known in key.values())


def _difference(a: Key, b: Key) -> Part | None:
    """A part that is known of both, and never the same."""
    return next((p for p, known in a.items() if p in b and known.isdisjoint(b[p])), None)


def _keys(call: CompiledCall) -> Iterator[Key]:
    """The call's key; one for each value of the part that takes most of a few known ones."""
    key: dict[Part, frozenset[object]] = {("transform", "", 0): frozenset((call.transform,))}
    turning: dict[Part, frozenset[object]] = {}
    for label, leaf in call.leaves.items():
        _leaf(label, leaf, call, key, turning)
    for label, value in call.settings:
        values = _values(value) or _objects(value)
        if values is not None:
            kind = "object" if any(isinstance(each, Site) for each in values) else "value"
            key[kind, label, 0] = values
            if len(values) > 1 and (value.marks | value.choice) & call.loops:
                turning[kind, label, 0] = values
    names = {label for label, _ in call.settings}
    if not any(name.startswith("*") for name in call.style[1]):
        key["style", "", 0] = frozenset(((call.style[0], call.style[1] | names),))
    if not turning:
        yield key
        return
    part = max(turning, key=lambda part: len(turning[part]))
    rest = {other: known for other, known in key.items() if other not in turning}
    for one in turning[part]:
        yield rest | {part: frozenset((one,))}


def _leaf(
    label: str,
    leaf: Leaf,
    call: CompiledCall,
    key: dict[Part, frozenset[object]],
    turning: dict[Part, frozenset[object]],
) -> None:
    if leaf.unknown or leaf.symbols or not leaf.kinds:
        return
    kinds = frozenset[object](leaf.kinds)
    if not any(kind.endswith("of many") or " " not in kind for kind in leaf.kinds if kind not in
               ("leaf", "None")):  # fmt: skip
        key["structure", label, 0] = kinds
    if set(leaf.kinds) != {"leaf"}:
        return
    if not leaf.untyped:
        key["dtype", label, 0] = frozenset(leaf.dtypes)
        key["weak", label, 0] = frozenset(leaf.weaks)
    if None in leaf.ranks or not leaf.ranks:
        return
    key["shape", label, -1] = frozenset(leaf.ranks)
    if len(leaf.ranks) > 1:
        return
    for (_, axis), (size, _) in leaf.sizes.items():
        few = size.few if size.constant is None else frozenset((size.constant,))
        if few:
            key["shape", label, axis] = frozenset(few)
            if len(few) > 1 and size.marks & call.loops:
                turning["shape", label, axis] = frozenset(few)


def _objects(value: Value) -> frozenset[object] | None:
    """The functions that it can be: those made in different places are different ones."""
    sites = {atom.site for atom in value.atoms if isinstance(atom, Object)}
    plain = all(isinstance(atom, Object) for atom in value.atoms) and not value.unknown
    known = plain and all(site.kind in ("function", "optimizer") for site in sites)
    return frozenset(sites) if known and sites else None


def _values(value: Value) -> frozenset[object] | None:
    """The constants that it can be; None where others are possible."""
    if value.unknown:
        return None
    found: set[object] = set()
    for atom in value.atoms:
        if isinstance(atom, Constant):
            found.add((atom.type, atom.value))
        elif isinstance(atom, Number) and atom.type == "int" and atom.high - atom.low < FEW:
            found |= {("int", number) for number in range(int(atom.low), int(atom.high) + 1)}
        elif isinstance(atom, Number) and atom.type == "bool":
            found |= {("bool", False), ("bool", True)}
        else:
            return None
    return frozenset(found) or None
