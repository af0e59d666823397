"""Uses of a random key that take nothing from it, or take the same for another copy of a model."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.looked_at import bound_by, is_draw, made_of_both, uses_of
from gotcha_lint.analysis.sites import Bind, Body, Call
from gotcha_lint.analysis.syntax import last_word, names_in, walk
from gotcha_lint.analysis.unread import is_notebook
from gotcha_lint.facts.random import DUMMIES, DUMMY_COMMENTS, READY_MADE
from gotcha_lint.queries.notebooks import begins_cell
from gotcha_lint.rule import text_of

_STARTS = ("init", "initialize", "initialise")


def called_dummy(body: Body, call: Call) -> bool:
    """Its name, or the comment above the block, says that only the shape is wanted."""
    line = call.at.statement
    names = {bind.name for bind in body.of(Bind) if bind.at.statement is line}
    if any(word in name.lower() for name in names for word in DUMMIES):
        return True
    comment = _comment_above(body, line) if names and is_draw(call) else ""
    return any(word in comment for word in DUMMY_COMMENTS)


def _comment_above(body: Body, line: cst.CSTNode) -> str:
    """Of the assignments without a blank line between them that a line of the body is among."""
    node = body.function.node
    block = node if isinstance(node, cst.Module) else node.body
    last: list[cst.CSTNode] = []
    for statement in getattr(block, "body", ()):
        if not isinstance(statement, cst.SimpleStatementLine):
            last = []
            continue
        last = [statement] if statement.leading_lines or not last else [*last, statement]
        if statement is line:
            lines = last[0].leading_lines  # type: ignore[attr-defined]
            return " ".join(each.comment.value.lower() for each in lines if each.comment)
    return ""


def starts_with(now: Call, before: Call) -> bool:
    """`model.init(key, x)` where x was drawn: it makes its numbers of the key and a path.

    Of a method of the project we do not know that.
    """
    func = now.node.func
    if not isinstance(func, cst.Attribute) or func.attr.value not in _STARTS:
        return False
    if now.callee.targets or not is_draw(before) or not _key_is_first(now):
        return False
    drawn = bound_by(before.at.statement)
    return any(
        (isinstance(arg.value, cst.Name) and arg.value.value in drawn)
        or any(part is before.node for part in walk(arg.value))
        for arg in now.node.args[1:]
    )


def starts_ready_made(call: Call) -> bool:
    """`init` of what `Generator(pretrained="faces")` made: it hands out weights that are there."""
    func = call.node.func
    owner = func.value if isinstance(func, cst.Attribute) else func
    if not last_word(func).startswith("init") or not isinstance(owner, cst.Name):
        return False
    made = (bind.at.statement for bind in call.body.of(Bind) if bind.name == owner.value)
    lines = (line for line in made if isinstance(line, cst.SimpleStatementLine))
    calls = (part.value for line in lines for part in line.body if isinstance(part, cst.Assign))
    return any(
        arg.keyword is not None
        and any(word in arg.keyword.value for word in READY_MADE)
        and last_word(arg.value) not in ("None", "False")
        for node in calls
        if isinstance(node, cst.Call)
        for arg in node.args
    )


def _key_is_first(call: Call) -> bool:
    """As in linen and haiku; what takes a key elsewhere may draw as it likes."""
    first = call.node.args[0].value if call.node.args else None
    return isinstance(first, cst.Dict) or (bool(call.args) and bool(call.args[0].ident))


def equal_starts(now: Call, before: Call) -> bool:
    """Equal calls of `init`, or of `init_net` for a copy that never meets the first."""
    if text_of(now.node) != text_of(before.node):
        return False
    word = last_word(now.node.func)
    if word in _STARTS:
        return True
    if not word.startswith("init"):
        return False
    some, others = bound_by(now.at.statement), bound_by(before.at.statement)
    if not some or not others or some & names_in(now.node):
        return False
    if some == others:
        return True
    apart = _in_another_cell(now, before)  # where names are used again for other things
    return not made_of_both(now.body.function.node, some, others, by_name=apart)


def unread_in_its_cell(body: Body, now: Call, before: Call) -> bool:
    """Nothing of the notebook reads it, but for a magic, and the other is in another cell."""
    if not is_draw(now) or body.function.number != 0:
        return False
    uses = uses_of(body, now.at.statement)
    if uses is None or uses.readers:
        return False
    return _in_another_cell(now, before)


def _in_another_cell(now: Call, before: Call) -> bool:
    body, between, met = now.body, False, False
    for statement in body.model.tree.body if body.function.number == 0 else ():
        if statement is before.at.statement:
            between, met = False, True
        elif begins_cell(statement):
            between = True
        if statement is now.at.statement:
            return met and between and is_notebook(body)
    return False
