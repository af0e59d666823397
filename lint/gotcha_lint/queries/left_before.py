"""Branches of an inner function for a None that the function around has returned on already."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.lines import lines_of
from gotcha_lint.analysis.sites import Place
from gotcha_lint.analysis.syntax import walk


def left_before(place: Place) -> bool:
    """Under `if given is None`, of a captured `given`: what is traced later has one."""
    function, trace = place.body.function, place.body.trace
    outer = function.parent
    if outer is None or isinstance(outer.node, cst.Module) or trace is None or not trace.direct:
        return False
    asked = {_none(guard.test) for guard in place.at.guards if guard.when} & set(function.captured)
    return bool(asked) and not asked.isdisjoint(_returned_on(outer.node, function.name))


def _returned_on(function: cst.CSTNode, inner: str) -> set[str]:
    """The names of which it leaves where they are None, before it gives `inner` to anybody."""
    left, also = set[str](), dict[str, str]()
    for node in lines_of(function).statements:
        if inner in _given_away(node):
            break
        match node.body[0] if isinstance(node, cst.SimpleStatementLine) else node:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Name(value=new))], value=cst.Name(value=old)
            ):
                also[new] = old
            case cst.If(test=test, body=cst.IndentedBlock(body=[*_, last])) if _leaves(last):
                left.add(_none(test))
    return left | {also[name] for name in left & also.keys()}


def _given_away(statement: cst.CSTNode) -> set[str]:
    """Names that stand for themselves there, and are not only called."""
    if isinstance(statement, cst.FunctionDef):
        return set()
    called = {id(node.func) for node in walk(statement) if isinstance(node, cst.Call)}
    return {n.value for n in walk(statement) if isinstance(n, cst.Name) and id(n) not in called}


def _none(test: cst.CSTNode) -> str:
    """`x` of `x is None`."""
    match test:
        case cst.Comparison(
            left=cst.Name(value=name),
            comparisons=[
                cst.ComparisonTarget(operator=cst.Is(), comparator=cst.Name(value="None"))
            ],
        ):
            return name
    return ""


def _leaves(statement: cst.CSTNode) -> bool:
    small = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    return any(isinstance(part, cst.Return | cst.Raise) for part in small)
