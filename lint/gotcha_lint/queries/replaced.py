"""Draws from one key of which only one is there in the end, by the order of the lines."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.looked_at import bound_by
from gotcha_lint.analysis.sites import Bind, Body, Call
from gotcha_lint.analysis.syntax import last_word, parents, walk
from gotcha_lint.analysis.unread import stored
from gotcha_lint.facts.random import DRAWS_NOTHING, KEY_MAKERS


def left_behind(body: Body, now: Call, before: Call) -> bool:
    """The second draw is returned at once, and what the first was for is not read until there."""
    statement = now.at.statement
    if not isinstance(statement, cst.SimpleStatementLine) or before.at.loops:
        return False
    if not now.at.guards or not any(isinstance(part, cst.Return) for part in statement.body):
        return False
    names = {bind.name for bind in body.of(Bind) if bind.at.statement is before.at.statement}
    return bool(names) and names.isdisjoint(_read_between(body, before, now))


def takes_its_place(body: Body, now: Call, before: Call) -> bool:
    """`x = noise(key)`, then `if path: x = load(key, path)`: nothing has read the first."""
    names = bound_by(before.at.statement)
    if not names or names != bound_by(now.at.statement) or now.at.loops != before.at.loops:
        return False
    return names.isdisjoint(_read_between(body, before, now))


def only_for_shapes(body: Body, now: Call) -> bool:
    """Keys that are split again for a table of the model, and given to nothing else."""
    if now.name not in KEY_MAKERS or now.at.loops:
        return False
    names = bound_by(now.at.statement)
    reads = [node for node in _after(body, now.at.statement) if node.value in names]
    shown = {id(part) for call in _tables(body) for part in walk(call)}
    return bool(reads) and all(id(node) in shown for node in reads)


def _tables(body: Body) -> list[cst.Call]:
    calls = (node for node in walk(body.function.node) if isinstance(node, cst.Call))
    return [call for call in calls if last_word(call.func) in DRAWS_NOTHING]


def _read_between(body: Body, first: Call, last: Call) -> set[str]:
    """The names that are read after one statement, up to the end of another, on the way there."""
    passed = {id(node) for node in _after(body, last.at.statement)} | _other_branches(body, last)
    return {n.value for n in _after(body, first.at.statement) if id(n) not in passed}


def _other_branches(body: Body, place: Call) -> set[int]:
    """The nodes of the branches that are not taken where the place is under `else` or `elif`."""
    above, node = parents(body.function.node), place.at.statement
    found: set[int] = set()
    while (outer := above.get(id(node))) is not None:
        if isinstance(outer, cst.If) and outer.orelse is node:
            found |= {id(part) for part in walk(outer.body)}
        node = outer
    return found


def _after(body: Body, statement: cst.CSTNode) -> list[cst.Name]:
    """The names that are read behind a statement, in the order of the lines."""
    nodes = list(walk(body.function.node))
    assigned = {id(node) for node in stored(nodes)}
    names = [node for node in nodes if isinstance(node, cst.Name)]
    inside = {id(node) for node in walk(statement)}
    end = max((number for number, node in enumerate(names) if id(node) in inside), default=-1)
    return [node for node in names[end + 1 :] if id(node) not in assigned]
