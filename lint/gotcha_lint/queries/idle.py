"""Uses of a random key that take nothing from it, or take the same for another copy of a model."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.looked_at import bound_by, is_draw, made_of_both, uses_of
from gotcha_lint.analysis.sites import Bind, Body, Call
from gotcha_lint.analysis.syntax import last_word, names_in, walk
from gotcha_lint.facts.random import DUMMIES, DUMMY_COMMENTS, KEY_MAKERS, READY_MADE
from gotcha_lint.queries.cells import in_another_cell
from gotcha_lint.rule import text_of

_FEW = 4  # steps from a draw to the `init` that it is for
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
    """`model.init(key, x)` where x was drawn with that key."""
    if not _is_init(now) or not is_draw(before):
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
    if isinstance(first, cst.Dict):
        return True
    return bool(call.args) and (bool(call.args[0].ident) or call.args[0].of == "dict")


def only_shapes_init(now: Call, before: Call) -> bool:
    """Drawn as an input of `model.init`, and no more; then the key is split, or makes the model."""
    if now.name not in KEY_MAKERS and not _is_init(now):
        return False
    return _only_shapes_init(before.body, before.at.statement, _FEW)


def _only_shapes_init(body: Body, line: cst.CSTNode, steps: int) -> bool:
    uses = uses_of(body, line)
    if uses is None or not uses.readers:
        return False
    names = bound_by(line)
    return all(
        _reads_in_init(body, reader, names)
        or (steps > 0 and _only_shapes_init(body, reader, steps - 1))
        for reader in uses.readers
    )


def _reads_in_init(body: Body, line: cst.CSTNode, names: set[str]) -> bool:
    """All that a line reads of some names is given to the `init` of a model."""
    calls = (body.call_of(node) for node in walk(line) if isinstance(node, cst.Call))
    starts = [call for call in calls if call is not None and _is_init(call)]
    given = {id(part) for call in starts for arg in call.node.args[1:] for part in walk(arg.value)}
    read = [node for node in walk(line) if isinstance(node, cst.Name) and node.value in names]
    return bool(read) and all(id(node) in given for node in read)


def _is_init(call: Call) -> bool:
    """Of linen or haiku, which make their numbers of the key and a path; a method of the project
    may draw as it likes."""
    func = call.node.func
    named = isinstance(func, cst.Attribute) and func.attr.value in _STARTS
    return named and not call.callee.targets and _key_is_first(call)


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
    apart = in_another_cell(now, before)  # where names are used again for other things
    return not made_of_both(now.body.function.node, some, others, by_name=apart)
