"""Two places under conditions that cannot both hold: `if kind == "a":` and `if kind != "a":`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Place, Store
from gotcha_lint.analysis.syntax import dotted, is_none, literal, names_in
from gotcha_lint.rule import text_of

_LESS = {cst.LessThan: True, cst.GreaterThanEqual: False}
_MORE = {cst.GreaterThan: True, cst.LessThanEqual: False}


class Fact(NamedTuple):
    """That `subject` is one of these values, or none of them."""

    subject: str
    values: frozenset[object]
    among: bool


def never_both(now: Place, before: Place) -> bool:
    """No call of their function reaches both, as nothing that is asked changes between them."""
    facts = [fact for fact, node in _facts(before) if not _changes(before.body, node, before)]
    return any(_excludes(one, other) for one in facts for other, _ in _facts(now))


def _facts(place: Place) -> Iterator[tuple[Fact, cst.CSTNode]]:
    """What the conditions around a place say, with what each is about."""
    for guard in place.at.guards:
        for node, holds in _parts(guard.test, guard.when):
            yield _fact(node, holds), node


def _parts(node: cst.CSTNode, holds: bool) -> Iterator[tuple[cst.CSTNode, bool]]:
    """The conditions that hold, or do not, where a whole one holds, or does not."""
    match node:
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            yield from _parts(inner, not holds)
        case cst.BooleanOperation(left=left, operator=word, right=right) if (
            isinstance(word, cst.And) == holds
        ):
            yield from _parts(left, holds)
            yield from _parts(right, holds)
        case cst.BooleanOperation():
            pass  # one of two; unknown which
        case _:
            yield node, holds


def _fact(node: cst.CSTNode, holds: bool) -> Fact:
    if not isinstance(node, cst.Comparison) or len(node.comparisons) != 1:
        return Fact(f"bool({text_of(node)})", frozenset({True}), holds)
    left, kind = text_of(node.left), node.comparisons[0].operator.__class__
    right = node.comparisons[0].comparator
    for table, word in ((_LESS, "<"), (_MORE, ">")):
        if kind in table:
            return Fact(f"{left} {word} {text_of(right)}", frozenset({True}), table[kind] == holds)
    value, inside = literal(right), kind in (cst.In, cst.NotIn)
    among = (kind in (cst.In, cst.Equal, cst.Is)) == holds
    if inside and isinstance(value, tuple):
        return Fact(left, frozenset(value), among)
    if inside or (value is None and not is_none(right)):
        return Fact(f"{left} {inside} {text_of(right)}", frozenset({True}), among)
    return Fact(left, frozenset({value}), among)


def _excludes(one: Fact, other: Fact) -> bool:
    if one.subject != other.subject or not (one.among or other.among):
        return False
    if one.among and other.among:
        return one.values.isdisjoint(other.values)
    some, none = (one, other) if one.among else (other, one)
    return some.values <= none.values


def _changes(body: Body, node: cst.CSTNode, since: Place) -> bool:
    """Something that it names is bound after this place, or again in each turn of a loop."""
    names = names_in(node)
    if any(loop.names & names for loop in since.at.loops):
        return True
    bound = [(bind.name, bind.at) for bind in body.of(Bind)]
    bound += [((dotted(store.node) or "").partition(".")[0], store.at) for store in body.of(Store)]
    return any(name in names and (at.order > since.at.order or at.loops) for name, at in bound)
