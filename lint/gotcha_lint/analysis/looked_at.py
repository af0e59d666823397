"""What reads the names that a statement binds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.lines import lines_of
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import last_word, literal, target_names, walk
from gotcha_lint.analysis.unread import is_plain, stored
from gotcha_lint.facts.random import CHECKS, SHAPES, SHOWS, TYPES

_Lines = tuple[cst.CSTNode, ...]


class Uses(NamedTuple):
    readers: _Lines  # the statements that read the numbers
    named: bool  # some statement names what was drawn, if only for its shape


def uses_of(body: Body, line: cst.CSTNode) -> Uses | None:
    """What reads the names that a statement binds, up to where they are bound again.

    None where that is not known: in a loop, under a condition, for names that a function reads.
    """
    if _looks(line):
        return Uses((line,), True)
    names = bound_by(line)
    lines = lines_of(body.function.node)
    place = lines.places.get(id(line))
    if not names or place is None:
        return None
    shared = names & body.function.shared
    before = [at for at in lines.after(-1, shared) if at <= place]
    if any(_captures(body, lines.statements[at], shared) for at in before):
        return None
    readers: list[cst.CSTNode] = []
    named = False
    for statement in (lines.statements[at] for at in lines.after(place, names)):
        read, counts = reads(statement, names)
        if shared and _captures(body, statement, shared & names):
            read = counts = True
        named = named or read
        if counts:
            readers.append(statement)
        names = names - bound_by(statement)
        if not names:
            break
    return Uses(tuple(readers), named)


def reads(statement: cst.CSTNode, names: set[str]) -> tuple[bool, bool]:
    """Does a statement read one of the names, and is that for its numbers?"""
    if statement.__class__ in (cst.FunctionDef, cst.ClassDef):
        return False, False
    nodes = list(walk(statement, into_functions=False))
    found = {id(n) for n in nodes if type(n) is cst.Name and n.value in names}
    found -= {id(node) for node in stored(nodes)} if found else set()
    return bool(found), bool(found and found - {id(node) for node in _numberless(nodes)})


def _captures(body: Body, statement: cst.CSTNode, names: set[str]) -> bool:
    functions = (body.model.by_node.get(id(node)) for node in walk(statement))
    return any(isinstance(f, Function) and names & f.captured.keys() for f in functions)


def bound_by(line: cst.CSTNode) -> set[str]:
    """The names that a line assigns; none where it assigns something else too."""
    parts = line.body if isinstance(line, cst.SimpleStatementLine) else ()
    found = [each.target for part in parts if isinstance(part, cst.Assign) for each in part.targets]
    found += [part.target for part in parts if isinstance(part, cst.AnnAssign) and part.value]
    plain = all(is_plain(target) for target in found)
    names = {name.value for target in found for name in target_names(target)} if plain else set()
    return names - {"_"} or names  # `for _ in ...` reads nothing


def _looks(line: cst.CSTNode) -> bool:
    """It prints or checks, and keeps at most a truth."""
    parts = line.body if isinstance(line, cst.SimpleStatementLine) else ()
    for part in parts:
        value = part.value if isinstance(part, cst.Expr | cst.Assign) else None
        if isinstance(value, cst.Call) and last_word(value.func) in CHECKS:
            return True
    return shows(line) or any(isinstance(part, cst.Assert) for part in parts)


def shows(line: cst.CSTNode) -> bool:
    """`print(x)`, or `x` at the end of a cell."""
    match line:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.Call(func=func))]):
            return last_word(func) in SHOWS
        case cst.SimpleStatementLine(body=[cst.Expr(value=value)]):
            return not isinstance(value, cst.Ellipsis | cst.BaseString | cst.Yield | cst.Await)
    return False


def _numberless(nodes: list[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """Of `x.shape`, `type(x)` and `x * 0`: the `x`."""
    for node in nodes:
        match node:
            case cst.Attribute(value=value, attr=cst.Name(value=name)) if name in SHAPES:
                yield value
            case cst.Call(func=func, args=[cst.Arg(value=value), *_]) if last_word(func) in TYPES:
                yield value
            case cst.BinaryOperation(left=left, operator=cst.Multiply(), right=right):
                yield from (x for x, by in ((left, right), (right, left)) if literal(by) == 0)
