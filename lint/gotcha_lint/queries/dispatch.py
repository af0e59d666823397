"""Tables of types that are searched in turn: `for kind, do in TABLE: if isinstance(x, kind)`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Call
from gotcha_lint.analysis.syntax import dotted, walk
from gotcha_lint.queries.classes import TypeName, accepts, named_types, readable
from gotcha_lint.queries.constants import constant


def shadowed_entries(body: Body, test: Call) -> Iterator[tuple[cst.CSTNode, str, str]]:
    """Entries that are never found, with their class and that of the entry that takes it."""
    kind = dotted(test.node.args[-1].value)
    loop = next((loop for loop in reversed(test.at.loops) if kind in loop.names), None)
    if loop is None or body.project is None or not isinstance(loop.node, cst.For):
        return
    if not _stops(test.node, test.at.statement, loop.node.body):
        return
    table = loop.node.iter
    if isinstance(table, cst.Name):
        table = _set_here(body, table.value) or constant(body, table.value)
    taken: list[TypeName] = []
    for entry in _entries(table):
        types = named_types(body, entry)
        above = [
            next((g for g in taken if g != t and accepts(body.project, g, t)), None) for t in types
        ]
        if types and above[0] is not None and None not in above:
            yield entry, readable(body.project, types[0]), readable(body.project, above[0])
        taken.extend(types)


def _stops(test: cst.Call, statement: cst.CSTNode, turn: cst.BaseSuite) -> bool:
    """The first class that fits is the only one: the search ends."""
    if not isinstance(statement, cst.If):
        return True  # `return do(x) if isinstance(x, kind) else ...`
    if not _is_negated(test, statement.test):
        return _ends(statement.body)
    if getattr(statement.test, "expression", None) is not test:
        return False  # more than this one test
    if isinstance(statement.orelse, cst.Else):
        return _ends(statement.orelse.body)
    skips = isinstance(_last(statement.body), cst.Continue)
    return skips and statement in turn.body and _ends(turn)


def _is_negated(test: cst.Call, condition: cst.CSTNode) -> bool:
    return any(
        isinstance(part, cst.UnaryOperation)
        and isinstance(part.operator, cst.Not)
        and test in walk(part)
        for part in walk(condition)
    )


def _ends(block: cst.BaseSuite) -> bool:
    return isinstance(_last(block), cst.Return | cst.Break | cst.Raise)


def _last(block: cst.BaseSuite) -> cst.CSTNode:
    last = block.body[-1]
    return last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last


def _set_here(body: Body, name: str) -> cst.BaseExpression | None:
    """What a name of the function itself is set to, where it is set once."""
    sources = [bind.source for bind in body.of(Bind) if bind.name == name]
    one = sources[0] if len(sources) == 1 else None
    return one if isinstance(one, cst.BaseExpression) else None


def _entries(table: cst.BaseExpression | None) -> Iterator[cst.BaseExpression]:
    """The first elements of the pairs in a list or tuple."""
    if isinstance(table, cst.List | cst.Tuple):
        for element in table.elements:
            if isinstance(element.value, cst.Tuple) and element.value.elements:
                yield element.value.elements[0].value
