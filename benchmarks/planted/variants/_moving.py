"""Takes what a marked statement computes out of its function."""

from __future__ import annotations

import ast
from typing import NamedTuple

from benchmarks.planted.plant import MARK

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Moved(NamedTuple):
    """A value that can be computed elsewhere."""

    statement: ast.stmt
    value: ast.expr
    arguments: tuple[str, ...]
    free: frozenset[str]


def movable(text: str) -> Moved | None:
    """The marked statement, if it is one, simple, and inside of a function."""
    numbers = [n for n, line in enumerate(text.splitlines(), 1) if line.endswith(MARK)]
    if len(numbers) != 1:
        return None
    tree = ast.parse(text)
    statement = _at(tree, numbers[0])
    around = [node for node in ast.walk(tree) if _holds(node, numbers[0])]
    if not isinstance(statement, (ast.Assign, ast.Return, ast.Expr)) or not around:
        return None
    value = statement.value
    if value is None or any(isinstance(node, UNMOVED) for node in ast.walk(value)):
        return None
    if not any(isinstance(node, ast.Call) for node in ast.walk(value)):
        return None
    used = [node.id for node in ast.walk(value) if isinstance(node, ast.Name)]
    inner = {arg for node in ast.walk(value) for arg in _own(node)}
    local = {name for function in around for name in _bound(function)}
    arguments = tuple(dict.fromkeys(name for name in used if name in local - inner))
    return Moved(statement, value, arguments, frozenset(used) - set(arguments) - inner)


UNMOVED = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)


def _at(tree: ast.Module, number: int) -> ast.stmt | None:
    simple = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno == number == node.end_lineno
    ]
    return simple[0] if len(simple) == 1 else None


def _holds(node: ast.AST, number: int) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno < number <= (
        node.end_lineno or 0
    )


def _own(node: ast.AST) -> set[str]:
    """Names that a part of an expression binds for itself."""
    if isinstance(node, ast.Lambda):
        return {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
    if isinstance(node, ast.comprehension):
        return {each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)}
    return set()


def _bound(function: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef) and node is not function:
            names.add(node.name)
    return names


def replaced(text: str, moved: Moved, call: str) -> str:
    """The text with a call in the place of the value; the statement keeps its mark."""
    lines = text.splitlines(keepends=True)
    row, value = moved.statement.lineno - 1, moved.value
    line = lines[row].encode()
    lines[row] = (line[: value.col_offset] + call.encode() + line[value.end_col_offset :]).decode()
    return "".join(lines)


def definition(name: str, moved: Moved, source: str) -> str:
    """A function that computes the value; a statement that gives nothing stays one."""
    value = ast.get_source_segment(source, moved.value)
    gives = "" if isinstance(moved.statement, ast.Expr) else "return "
    return f"def {name}({', '.join(moved.arguments)}):\n    {gives}{value}{MARK}\n"
