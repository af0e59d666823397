"""What is made from one key a second time, or to be compared: it is meant to be alike."""

from __future__ import annotations

import re

import libcst as cst

from gotcha_lint.analysis.lines import lines_of
from gotcha_lint.analysis.looked_at import bound_by, uses_of
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import last_word, names_in, walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.random import CHECKS
from gotcha_lint.rule import text_of

_MAKES = ("init", "make", "create", "build", "reset", "_")


def compared(body: Body, now: Call, before: Call) -> bool:
    """`assert allclose(a, b)` of both; or two models: `a = train(a)`, and then `b = train(b)`."""
    if _only_asserted(body, before) or _only_asserted(body, now):
        return True
    names = bound_by(before.at.statement), bound_by(now.at.statement)
    place = lines_of(body.function.node).places.get(id(now.at.statement))
    if place is None or any(len(each) != 1 for each in names) or names[0] == names[1]:
        return False
    (one,), (other,) = names
    lines = lines_of(body.function.node)
    later = [lines.statements[at] for at in lines.after(place, {one, other})]
    return any(_checks(line, {one, other}) for line in later) or (
        _are_models(now, before) and _go_on_alike(later, one, other)
    )


def made_again(now: Call, before: Call) -> bool:
    """`models = build(keys)` a second time at the top of a file: the same thing, under its name."""
    if now is before or now.body.function.number != 0 or now.at.loops:
        return False
    assigned = bound_by(now.at.statement)
    same = _text_of_line(now.at.statement) == _text_of_line(before.at.statement)
    return same and bool(assigned) and assigned.isdisjoint(names_in(now.node))


def _text_of_line(line: cst.CSTNode) -> list[str]:
    """Without its comments."""
    return (
        [text_of(part) for part in line.body] if isinstance(line, cst.SimpleStatementLine) else []
    )


def view_of(now: Call, before: Call) -> bool:
    """`model.sample(key)` and `model.sample_flow(key)`: how the very same samples came about."""
    names = [_function_of(call) for call in (now, before)]
    short, long = sorted(names, key=len)
    if not short or short.startswith(_MAKES):
        return False
    return long.startswith(f"{short}_") and not long.removeprefix(f"{short}_").isdigit()


def _function_of(call: Call) -> str:
    """The name of the one method that is called, through any transform; else nothing."""
    project, targets = call.body.project, call.callee.targets
    if project is None or len(targets) != 1 or call.callee.kind is not Kind.FUNCTION:
        return ""
    function = project.function(next(iter(targets)))
    return function.name if function.cls is not None else ""


def _only_asserted(body: Body, call: Call) -> bool:
    """Nothing but assertions reads it: the program is its own test."""
    uses = uses_of(body, call.at.statement)
    return uses is not None and bool(uses.readers) and all(map(_asserts, uses.readers))


def _asserts(line: cst.CSTNode) -> bool:
    """Something other than that two draws differ."""
    parts = line.body if isinstance(line, cst.SimpleStatementLine) else ()
    plain = bool(parts) and all(isinstance(part, cst.Assert) for part in parts)
    return plain and not any(isinstance(part, cst.Not) for part in walk(line))


def _checks(line: cst.CSTNode, names: set[str]) -> bool:
    """That the two are equal, and not that they differ."""
    parts = list(walk(line))
    if any(isinstance(part, cst.Not) for part in parts):
        return False
    calls = (part for part in parts if isinstance(part, cst.Call))
    return any(
        last_word(call.func) in CHECKS and names <= set(map(_name, call.args)) for call in calls
    )


def _name(arg: cst.Arg) -> str:
    return arg.value.value if isinstance(arg.value, cst.Name) else ""


def _are_models(now: Call, before: Call) -> bool:
    """Objects of two classes."""
    kinds = now.callee.kind, before.callee.kind
    return kinds == (Kind.CLASS, Kind.CLASS) and text_of(now.node.func) != text_of(before.node.func)


def _go_on_alike(later: list[cst.CSTNode], one: str, other: str) -> bool:
    """The next lines that read them replace each by what the same function makes of it."""
    first, second = (_next_of(later, name) for name in (one, other))
    if first is None or second is None or bound_by(first) != {one} or bound_by(second) != {other}:
        return False
    return _without(first, one) == _without(second, other)


def _next_of(later: list[cst.CSTNode], name: str) -> cst.CSTNode | None:
    return next((line for line in later if name in names_in(line)), None)


def _without(line: cst.CSTNode, name: str) -> str:
    return re.sub(rf"\b{name}\b", "_", text_of(line).strip())
