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
Asked = tuple[Key, CompiledCall]
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
    every = _different_keys(calls)
    differ = [sum(_apart(one, other) is not None for other in every) for one in every]
    order = sorted(range(len(every)), key=lambda index: -differ[index])
    kept: list[Asked] = []
    parts: dict[Part, Differing] = {}
    for asked in (every[index] for index in order):
        found = [_apart(asked, other) for other in kept]
        if None in found:
            continue
        kept.append(asked)
        for part in found:
            if part is not None:
                parts.setdefault(part, Differing(*part, asked[1]))
    return len(kept), tuple(parts.values())


def _different_keys(calls: Sequence[CompiledCall]) -> list[Asked]:
    found: dict[object, Asked] = {}
    for call in calls:
        for key in _keys(call) if not call.maybe else ():
            found.setdefault((frozenset(key.items()), call.sides, call.within), (key, call))
        if len(found) > _MOST:
            break
    return list(found.values())[:_MOST]


def _apart(a: Asked, b: Asked) -> Part | None:
    """What tells two keys apart, if both calls can happen."""
    return None if exclude(a[1], b[1]) else _difference(a[0], b[0])


def exclude(a: CompiledCall, b: CompiledCall) -> bool:
    """Do they stand on different sides of one branch?"""
    sides = dict(a.sides)
    return a.within is b.within and any(sides.get(at, side) != side for at, side in b.sides)


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
