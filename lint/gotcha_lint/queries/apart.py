"""Two results of one key that nothing brings together: two experiments of one notebook."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.lines import lines_of
from gotcha_lint.analysis.looked_at import bound_by
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import names_in, target_names, walk
from gotcha_lint.analysis.unread import is_notebook
from gotcha_lint.analysis.values import Kind

# What a call may change: something of both results could meet in it.
_CHANGED = frozenset({Kind.UNKNOWN, Kind.OBJECT, Kind.LIST})


def never_meet(body: Body, now: Call, before: Call) -> bool:
    """Both are read later on, and no line of the notebook reads what is made of both.

    A function counts as one line. What both name, as the axes of a figure, brings them together.
    """
    if body.function.number != 0 or not is_notebook(body.model):
        return False
    one, other = bound_by(before.at.statement), bound_by(now.at.statement)
    if not one or not other or one & other or now.at.loops or before.at.loops:
        return False
    lines = lines_of(body.function.node)
    start, second = (lines.places.get(id(call.at.statement)) for call in (before, now))
    if start is None or second is None:
        return False
    read = [False, False]
    for place, line in enumerate(lines.statements[start + 1 :], start + 1):
        names = names_in(line) - (other if place <= second else set())
        meets = bool(names & one), bool(names & other)
        if all(meets):
            return False
        read = [was or is_ for was, is_ in zip(read, meets, strict=True)]
        one |= _carries(body, line) if meets[0] else set()
        other |= _carries(body, line) if meets[1] else set()
    return all(read)


def _carries(body: Body, line: cst.CSTNode) -> set[str]:
    """What a line that reads a result may put it into: what it binds, and objects that it names."""
    bound = {name.value for node in walk(line) for name in _bound(node)}
    known = body.names
    return bound | {n for n in names_in(line) if n in known and known[n].kind in _CHANGED}


def _bound(node: cst.CSTNode) -> list[cst.Name]:
    match node:
        case cst.AssignTarget(target=target) | cst.For(target=target) | cst.CompFor(target=target):
            return list(target_names(target))
        case cst.AugAssign(target=target) | cst.AnnAssign(target=target):
            return list(target_names(target))
        case cst.FunctionDef(name=name) | cst.ClassDef(name=name):
            return [name]
        case cst.AsName(name=cst.Name() as name):
            return [name]
    return []
