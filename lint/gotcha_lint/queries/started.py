"""What has run before a place of a module: imports of JAX, and what starts its backend."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.environment import IMPORT_JAX, STARTS_BACKEND


def jax_imports(model: FileModel) -> list[tuple[int, cst.CSTNode, str]]:
    """The statements at the top of a module that import JAX, by their number, with the module."""
    found: list[tuple[int, cst.CSTNode, str]] = []
    for number, statement in enumerate(model.tree.body):
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            found.extend(
                (number, small, name) for name in _modules(small) if _root(name) in IMPORT_JAX
            )
    return found


def _modules(node: cst.CSTNode) -> Iterator[str]:
    if isinstance(node, cst.Import):
        yield from (dotted(alias.name) or "" for alias in node.names)
    elif isinstance(node, cst.ImportFrom) and not node.relative:
        yield dotted(node.module) or ""


def _root(name: str) -> str:
    return name.partition(".")[0]


def backend_starts(body: Body) -> Iterator[Call]:
    """Calls of this function that start the backend, if nothing has done so before."""
    for call in body.of(Call):
        if call.decorator or not call.name:
            continue
        if call.name in STARTS_BACKEND or (
            call.result.kind in (Kind.ARRAY, Kind.KEY)
            and call.name.startswith("jax.")
            and not call.at.guards
        ):
            yield call


def makes_array(call: Call) -> bool:
    """The call makes an array, of the precision that is set now."""
    return (
        call.name.startswith("jax.numpy.") and call.result.kind is Kind.ARRAY and not call.decorator
    )
