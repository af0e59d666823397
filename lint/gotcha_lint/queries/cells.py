"""Draws of a notebook, whose cells show one thing after another."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.lines import lines_of
from gotcha_lint.analysis.looked_at import bound_by, is_draw, reads, uses_of
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import last_word, walk
from gotcha_lint.analysis.unread import is_notebook
from gotcha_lint.facts.host import FILLING
from gotcha_lint.facts.random import KEY_MAKERS
from gotcha_lint.queries.notebooks import begins_cell


def in_another_cell(now: Call, before: Call) -> bool:
    body, between, met = now.body, False, False
    for statement in body.model.tree.body if body.function.number == 0 else ():
        if statement is before.at.statement:
            between, met = False, True
        elif begins_cell(statement):
            between = True
        if statement is now.at.statement:
            return met and between and is_notebook(body.model)
    return False


def unread_in_its_cell(body: Body, now: Call, before: Call) -> bool:
    """Nothing of the notebook reads it, but for a magic, and the other is in another cell."""
    if not is_draw(now) or body.function.number != 0:
        return False
    uses = uses_of(body, now.at.statement)
    if uses is None or uses.readers:
        return False
    return in_another_cell(now, before)


def left_in_its_cell(body: Body, now: Call, before: Call) -> bool:
    """One experiment, run again in another cell: from there on nothing reads the first result."""
    if is_draw(now) or is_draw(before) or before.name in KEY_MAKERS:
        return False
    return in_another_cell(now, before) and _is_left(body, before.at.statement, now.at.statement)


def _is_left(body: Body, first: cst.CSTNode, last: cst.CSTNode) -> bool:
    made = bound_by(first)  # and what is made of it
    lines = lines_of(body.function.node)
    start, end = lines.places.get(id(first)), lines.places.get(id(last))
    if not made or start is None or end is None:
        return False
    for place, statement in enumerate(lines.statements[start + 1 :], start + 1):
        if made & body.function.shared:
            return False  # functions read it too
        bound = bound_by(statement)
        if not reads(statement, made)[1]:
            made = made - bound
        elif place >= end or not (bound or is_shown(statement)):
            return False
        else:
            made = made | bound
    return True


def is_shown(statement: cst.CSTNode) -> bool:
    """`show(x)`, and not `results.append(x)`."""
    parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    calls = (node for node in walk(statement) if isinstance(node, cst.Call))
    fills = any(last_word(call.func) in FILLING for call in calls)
    return bool(parts) and not fills and all(isinstance(part, cst.Expr) for part in parts)
