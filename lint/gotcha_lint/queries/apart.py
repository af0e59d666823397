"""Two results of one key that nothing brings together: two experiments of one notebook."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.lines import lines_of
from gotcha_lint.analysis.looked_at import bound_by
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted, names_in, target_names, walk
from gotcha_lint.analysis.unread import is_notebook, is_plain
from gotcha_lint.analysis.values import Kind
from gotcha_lint.queries.cells import in_another_cell, is_shown

# What a call may change: something of both results could meet in it.
_CHANGED = frozenset({Kind.OBJECT, Kind.LIST})


def never_meet(body: Body, now: Call, before: Call) -> bool:
    """Both are read, and no line of the notebook reads what is made of both.

    A function counts as one line. What both name, as the axes of a figure, brings them together.
    """
    if body.function.number != 0 or not is_notebook(body.model):
        return False
    if now.at.loops or before.at.loops:
        return False
    if is_shown(before.at.statement) and in_another_cell(now, before):
        return True
    one, made = bound_by(before.at.statement), bound_by(now.at.statement)
    lines = lines_of(body.function.node)
    start, second = (lines.places.get(id(call.at.statement)) for call in (before, now))
    if not one or not made or start is None or second is None:
        return False
    other: set[str] = set()
    read = [False, False]
    for place, line in enumerate(lines.statements[start + 1 :], start + 1):
        names = _read(body, line)
        meets = bool(names & one), place == second or bool(names & other)
        if all(meets):
            return False
        read = [was or is_ for was, is_ in zip(read, meets, strict=True)]
        one = one | _carries(body, line, one) if meets[0] else one - _anew(line)
        if place == second:
            other = made
            read[1] = False
        else:
            other = other | _carries(body, line, other) if meets[1] else other - _anew(line)
    return all(read)


def _read(body: Body, line: cst.CSTNode) -> set[str]:
    """The names that a line, or a function in it, takes from above, and not those it only binds."""
    nodes = list(walk(line, into_functions=False))
    if isinstance(line, cst.FunctionDef):
        params = (part for part in walk(line.params) if isinstance(part, cst.Param))
        above = [*line.decorators, *(param.default for param in params if param.default)]
        nodes = [line, *(part for each in above for part in walk(each))]
    targets = (node.target for node in nodes if isinstance(node, cst.AssignTarget))
    bound = {id(name) for target in targets if is_plain(target) for name in target_names(target)}
    bound |= {id(node.attr) for node in nodes if isinstance(node, cst.Attribute)}
    bound |= {id(node.keyword) for node in nodes if isinstance(node, cst.Arg)}
    functions = (body.model.by_node.get(id(node)) for node in nodes)
    found = {name for f in functions if isinstance(f, Function) for name in f.captured}
    return found | {n.value for n in nodes if isinstance(n, cst.Name) and id(n) not in bound}


def _anew(line: cst.CSTNode) -> set[str]:
    """The names that stand for something else from this line on."""
    if isinstance(line, cst.FunctionDef | cst.ClassDef):
        return {line.name.value}
    return bound_by(line)


def _carries(body: Body, line: cst.CSTNode, made: set[str]) -> set[str]:
    """What a line that reads a result may put it into: what it binds, and objects that it names.

    Of an unknown thing only its methods may: `axes.plot(x)`, and not `draw(x, size)`.
    """
    inside = () if isinstance(line, cst.FunctionDef) else walk(line, into_functions=False)
    bound = {name.value for node in (line, *inside) for name in _bound(node, made)}
    owners = {dotted(node.func) or "" for node in walk(line) if isinstance(node, cst.Call)}
    owners = {name.partition(".")[0] for name in owners if "." in name}
    kinds = {name: body.names[name].kind for name in names_in(line) if name in body.names}
    changed = {name for name, kind in kinds.items() if kind in _CHANGED}
    return bound | changed | {n for n in owners if kinds.get(n) is Kind.UNKNOWN}


def _bound(node: cst.CSTNode, made: set[str]) -> list[cst.Name]:
    """The names that a node binds; those of a loop where it goes over something of the result."""
    match node:
        case cst.For(target=target, iter=over) | cst.CompFor(target=target, iter=over):
            return list(target_names(target)) if made & names_in(over) else []
        case cst.AssignTarget(target=target):
            return list(target_names(target))
        case cst.AugAssign(target=target) | cst.AnnAssign(target=target):
            return list(target_names(target))
        case cst.FunctionDef(name=name) | cst.ClassDef(name=name):
            return [name]
        case cst.AsName(name=cst.Name() as name):
            return [name]
    return []
