"""Results that nobody reads: they are bound to names, and that is all."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import libcst as cst

from gotcha_lint.analysis.lines import lines_of
from gotcha_lint.analysis.model import FileModel, Function
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import holds, target_names, walk

_DEFINITIONS = frozenset((cst.FunctionDef, cst.ClassDef))


def never_read(body: Body, call: Call) -> bool:
    """It is in an assignment to names that nothing reads, or nothing before they are bound again.

    Of a module's names that is known in notebooks only: other files may read those of a script.
    """
    return _is_unread(body.model, body.function, call.at.statement, call.node)


def in_unread_line(body: Body) -> bool:
    """It is a lambda of such an assignment of the function around."""
    lambda_, outer = body.function.node, body.function.parent
    if not isinstance(lambda_, cst.Lambda) or outer is None:
        return False
    lines = (line for line in lines_of(outer.node).statements if holds(line, lambda_))
    return any(_is_unread(body.model, outer, line, lambda_) for line in lines)


def _is_unread(model: FileModel, function: Function, line: cst.CSTNode, node: cst.CSTNode) -> bool:
    parts = line.body if isinstance(line, cst.SimpleStatementLine) else ()
    small = next((part for part in parts if holds(part, node)), None)
    if not isinstance(small, cst.Assign):
        return False
    names = {name.value for each in small.targets for name in target_names(each.target)}
    plain = all(is_plain(each.target) for each in small.targets)
    if not plain or not names:
        return False
    if function.number == 0:
        return is_notebook(model) and not any(_read_later(function, line, name) for name in names)
    return not any(is_read(function, name) and _read_later(function, line, name) for name in names)


def _read_later(function: Function, line: cst.CSTNode, name: str) -> bool:
    """A later statement of the function reads the name, before one that only binds it."""
    if _leaves(function, name):
        return True
    lines = lines_of(function.node)
    place = lines.places.get(id(line))
    if place is None:  # in a loop, or under a condition
        return True
    for statement in (lines.statements[at] for at in lines.after(place, {name})):
        nodes = list(walk(statement, into_functions=False))
        named = {id(node) for node in nodes if type(node) is cst.Name and node.value == name}
        if statement.__class__ in _DEFINITIONS or not named:
            continue
        if not named <= {id(node) for node in stored(nodes)}:
            return True
        if _binds(statement, name):
            return False
    return False


def _binds(statement: cst.CSTNode, name: str) -> bool:
    """Whoever comes here binds the name: no branch or loop of its own."""
    parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    targets = [
        each.target for part in parts if isinstance(part, cst.Assign) for each in part.targets
    ]
    return any(node.value == name for target in targets for node in target_names(target))


def _leaves(function: Function, name: str) -> bool:
    """A function nested in it may read the name, or one elsewhere."""
    scope = function.scope
    return name in function.shared or name in scope.global_names | scope.nonlocal_names


def is_read(function: Function, name: str) -> bool:
    """The name is read in the function, or in one nested in it."""
    return _leaves(function, name) or name in _reads(function.node)


@lru_cache(maxsize=4)
def _reads(function: cst.CSTNode) -> frozenset[str]:
    nodes = list(walk(function, into_functions=False))
    assigned = {id(node) for node in stored(nodes)}
    return frozenset(n.value for n in nodes if type(n) is cst.Name and id(n) not in assigned)


def is_plain(target: cst.BaseExpression) -> bool:
    if isinstance(target, cst.Tuple | cst.List):
        return all(is_plain(element.value) for element in target.elements)
    return isinstance(target, cst.Name)


def stored(nodes: list[cst.CSTNode]) -> Iterator[cst.CSTNode | None]:
    """The names that are assigned to, and those that are no variables: attributes and keywords."""
    for node in nodes:
        kind: Any = node.__class__
        if kind is cst.AssignTarget or kind is cst.AnnAssign:
            yield from walk(node.target)  # type: ignore[attr-defined]
        elif kind is cst.Attribute:
            yield node.attr  # type: ignore[attr-defined]
        elif kind is cst.Arg:
            yield node.keyword  # type: ignore[attr-defined]


def is_notebook(model: FileModel) -> bool:
    comments = (line.comment.value for line in model.tree.header if line.comment)
    return model.path.endswith(".ipynb") or any("jupytext" in text for text in comments)
