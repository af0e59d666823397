"""Draws whose numbers are only looked at: printed or checked, or asked for their shape."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.lines import lines_of
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import last_word, literal, target_names, walk
from gotcha_lint.analysis.unread import is_plain, stored
from gotcha_lint.facts.host import FILLING
from gotcha_lint.facts.random import CHECKS, KEY_MAKERS, SHAPES, SHOWS, TYPES

_Lines = tuple[cst.CSTNode, ...]

_FEW = 4  # steps from a draw to what is seen of it


class Uses(NamedTuple):
    readers: _Lines  # the statements that read the numbers
    named: bool  # some statement names what was drawn, if only for its shape


def only_looked_at(body: Body, call: Call, other: cst.CSTNode) -> bool:
    """No result holds this draw, and none of what shows it the draw of the statement `other`."""
    line = call.at.statement
    if line is other or not (is_draw(call) or last_word(call.node.func).startswith("init")):
        return False
    if any(part is call.node for part in _numberless(list(walk(line)))):
        return True
    uses, others = uses_of(body, line), _looks_of(body, other)
    if uses is None or not uses.named:
        return False
    looks = tuple(reader for reader in uses.readers if _looks(reader))
    if any(_looks_of(body, reader) != () for reader in uses.readers if reader not in looks):
        return False  # a result of it is kept, or shown
    twice = others and any(map(shows, looks)) and all(map(shows, others))
    if twice and not _makes_keys(other):
        return False  # whoever looks sees the same numbers twice
    late = _not_before(body.function.node, looks, other)
    return _reached(body.function.node, late).isdisjoint(bound_by(other))


def is_draw(call: Call) -> bool:
    return call.name.startswith("jax.random.") and call.name not in KEY_MAKERS


def _makes_keys(line: cst.CSTNode) -> bool:
    """`key, subkey = split(key)`: what is drawn from these are other numbers."""
    parts = line.body if isinstance(line, cst.SimpleStatementLine) else ()
    values = [part.value for part in parts if isinstance(part, cst.Assign)]
    makers = {name.rpartition(".")[2] for name in KEY_MAKERS}
    return any(isinstance(value, cst.Call) and last_word(value.func) in makers for value in values)


def _not_before(root: cst.CSTNode, lines: _Lines, other: cst.CSTNode) -> _Lines:
    """Without the lines that stand before the other: they know nothing of it."""
    places = lines_of(root).places
    limit = places.get(id(other), -1)
    return tuple(line for line in lines if places.get(id(line), limit) >= limit)


def _looks_of(body: Body, line: cst.CSTNode, steps: int = _FEW) -> _Lines | None:
    """What looks at a draw, or at what is made of it; None where something else reads it."""
    uses = uses_of(body, line)
    if uses is None or not uses.named:
        return None
    found: list[cst.CSTNode] = []
    for reader in uses.readers:
        looks = (
            (reader,) if _looks(reader) else _looks_of(body, reader, steps - 1) if steps else None
        )
        if looks is None:
            return None
        found += looks
    return tuple(found)


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


def made_of_both(
    root: cst.CSTNode, some: set[str], others: set[str], *, by_name: bool = False
) -> bool:
    """A line of a function, or of one in it, names both, or else what was made of both."""
    lines = [node for node in walk(root) if isinstance(node, cst.SimpleStatementLine)]
    reached = (_names(line) if by_name else _reached(root, (line,)) for line in lines)
    return any(not names.isdisjoint(some) and not names.isdisjoint(others) for names in reached)


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


def _reached(root: cst.CSTNode, lines: _Lines) -> set[str]:
    """The names in some lines, those in what they were made of, and so on."""
    made = _made_of(root)
    found: set[str] = set()
    new = {name for line in lines for name in _names(line)}
    while new:
        found |= new
        new = {name for known in new for name in made.get(known, ())} - found
    return found


@lru_cache(maxsize=1)
def _made_of(root: cst.CSTNode) -> dict[str, set[str]]:
    """For each name of a function, and of those in it, all names in what it is bound to."""
    found: dict[str, set[str]] = {}
    for node in walk(root):
        targets: list[cst.CSTNode] = []
        match node:
            case cst.Assign(value=value):
                targets = [each.target for each in node.targets]
            case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
                targets = [target]
            case (
                cst.AugAssign(target=target, value=value)
                | cst.NamedExpr(target=target, value=value)
            ):
                targets = [target]
            case cst.For(target=target, iter=value):
                targets = [target]
            case cst.WithItem(item=value, asname=cst.AsName(name=target)):
                targets = [target]
            case cst.FunctionDef(name=name, body=value) | cst.ClassDef(name=name, body=value):
                targets = [name]
            case cst.Call(func=cst.Attribute(value=owner, attr=attr)) if attr.value in FILLING:
                targets = [owner]
                value = node
            case _:
                continue
        names = _names(value)
        for target in targets:
            for name in _names(target):  # of `x[i] = y` and `x.a = y` too
                found.setdefault(name, set()).update(names)
    return found


def _names(node: cst.CSTNode) -> set[str]:
    return {part.value for part in walk(node) if isinstance(part, cst.Name)}
