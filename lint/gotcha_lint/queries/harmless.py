"""Draws from one random key whose likeness does no harm: no result holds both of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.looked_at import only_looked_at, shows
from gotcha_lint.analysis.sites import Bind, Body, Call
from gotcha_lint.analysis.syntax import parents, walk
from gotcha_lint.analysis.unread import never_read
from gotcha_lint.facts.random import SELECTS, SUMS, WAITS
from gotcha_lint.queries.alike import compared
from gotcha_lint.queries.apart import never_meet
from gotcha_lint.queries.cells import left_in_its_cell, unread_in_its_cell
from gotcha_lint.queries.idle import (
    called_dummy,
    only_shapes_init,
    starts_ready_made,
    starts_with,
)
from gotcha_lint.queries.masks import logical
from gotcha_lint.queries.replaced import left_behind, only_for_shapes, takes_its_place
from gotcha_lint.queries.seldom import shown_now_and_then


def harmless(body: Body, now: Call, before: Call) -> bool:
    """One of the two is never looked at, or only one of them counts."""
    if called_dummy(body, now) or called_dummy(body, before):
        return True
    if now is before:
        return shown_now_and_then(body, now)
    return (
        (body.function.number != 0 and never_read(body, now))
        or (shows(before.at.statement) and not shows(now.at.statement))
        or starts_with(now, before)
        or only_shapes_init(now, before)
        or compared(body, now, before)
        or starts_ready_made(now)
        or starts_ready_made(before)
        or only_looked_at(body, now, before.at.statement)
        or unread_in_its_cell(body, now, before)
        or left_in_its_cell(body, now, before)
        or (_is_ready(body, now) and _is_ready(body, before))
        or left_behind(body, now, before)
        or takes_its_place(body, now, before)
        or only_for_shapes(body, now)
        or _one_of(body, now, before)
        or _in_other_cases(body, now, before)
        or never_meet(body, now, before)
    )


@lru_cache(maxsize=1)  # a function may have very many draws
def _above(body: Body) -> dict[int, cst.CSTNode]:
    return parents(body.function.node)


@lru_cache(maxsize=1)
def _reads(body: Body) -> dict[str, list[cst.Name]]:
    """The places of each name, but for those that assign it alone."""
    found: dict[str, list[cst.Name]] = {}
    for node in walk(body.function.node):
        if not isinstance(node, cst.Name):
            continue
        if not isinstance(_above(body).get(id(node)), cst.AssignTarget):
            found.setdefault(node.value, []).append(node)
    return found


def _names(body: Body, call: Call) -> set[str]:
    """What the result of a call is bound to, or something that is made of it."""
    return {bind.name for bind in body.of(Bind) if bind.at.statement is call.at.statement}


def _is_ready(body: Body, call: Call) -> bool:
    """Waited for as soon as it is made: data for a clock."""
    above = _above(body)
    outer = body.call_of(above.get(id(above.get(id(call.node)))))
    return outer is not None and outer.name in WAITS


def _one_of(body: Body, now: Call, before: Call) -> bool:
    """A mask takes each element from one draw: `where(mask, a, b)`, or a sum of `a * mask`."""
    one, other = _chosen(body, now), _chosen(body, before)
    return one is not None and other is not None and one.by is other.by and one.of is not other.of


def _chosen(body: Body, call: Call) -> _Choice | None:
    """What chooses the draw, where it stands; else where the one mention of its name does."""
    places = [node for name in _names(body, call) for node in _reads(body).get(name, ())]
    return _choice(body, call.node) or (_choice(body, places[0]) if len(places) == 1 else None)


class _Choice(NamedTuple):
    by: cst.CSTNode  # the call that chooses by a mask
    of: cst.CSTNode  # the part of it that a draw is in


def _choice(body: Body, node: cst.CSTNode) -> _Choice | None:
    above = _above(body)
    part: cst.CSTNode | None = None  # what is masked, of things that are summed
    while (outer := above.get(id(node))) is not None:
        match outer:
            case cst.BinaryOperation(left=left, operator=cst.Multiply(), right=right):
                masked = logical(body, right if left is node else left)
                part = outer if masked else part
            case cst.Arg() if isinstance(call := above.get(id(outer)), cst.Call):
                site = body.call_of(call)
                name = site.name if site is not None else ""
                if name in SUMS and part is not None:
                    return _Choice(call, part)
                if site is not None and name in SELECTS and site.arg_node(0) is not node:
                    return _Choice(call, outer)
            case cst.BaseStatement() | cst.BaseSmallStatement():
                break
        node = outer
    return None


def _in_other_cases(body: Body, now: Call, before: Call) -> bool:
    """`draw * (kind == 0)` and `draw * (kind == 1)`: one of them is zero."""
    one, other = _cases(body, now), _cases(body, before)
    return any(name in other and other[name] != number for name, number in one.items())


def _cases(body: Body, call: Call) -> dict[str, str]:
    """What is compared with which number, in the product that a draw is a factor of."""
    above = _above(body)
    node: cst.CSTNode = call.node
    while isinstance(outer := above.get(id(node)), cst.BinaryOperation):
        if not isinstance(outer.operator, cst.Multiply):
            break
        node = outer
    found: dict[str, str] = {}
    for factor in _factors(node):
        match factor:
            case cst.Comparison(
                left=cst.Name(value=name),
                comparisons=[cst.ComparisonTarget(cst.Equal(), cst.Integer(value=number))],
            ):
                found[name] = number
    return found


def _factors(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    match node:
        case cst.BinaryOperation(left=left, operator=cst.Multiply(), right=right):
            yield from (*_factors(left), *_factors(right))
        case _:
            yield node
