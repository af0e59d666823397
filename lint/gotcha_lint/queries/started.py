"""What has run before a place of a module: imports of JAX, and what starts its backend."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.environment import (
    IMPORT_JAX,
    SPAWNS,
    STARTS_BACKEND,
    STARTS_PROCESSES,
)
from gotcha_lint.queries.pickled import made_on_device


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


def starts_processes(body: Body) -> bool:
    """The environment may be meant for them."""
    if any(_root(name) in STARTS_PROCESSES for name in body.model.imports):
        return True
    return any(call.name.startswith(SPAWNS) for call in body.of(Call))


def makes_array(call: Call) -> bool:
    """The call makes arrays, of the precision that is set now."""
    if call.decorator:
        return False
    if call.name.startswith("jax.numpy."):
        return call.result.kind is Kind.ARRAY
    callee = call.callee
    if callee.kind is Kind.CLASS:
        return made_on_device(call.body, call.result) or _module_with_key(call)
    own = callee.kind is Kind.FUNCTION and not any(via.name in _ABSTRACT for via in callee.via)
    return (own or call.name.startswith(_MAKERS)) and made_on_device(call.body, call.result)


def _module_with_key(call: Call) -> bool:
    """`Model(rngs=nnx.Rngs(0))`: its parameters are made at once."""
    cls, project = call.result.cls, call.body.project
    if cls is None or project is None or not project.is_a(cls, *_EAGER_MODULES):
        return False
    return any(
        v.kind is Kind.KEY or v.of == "flax.nnx.Rngs" for v in (*call.args, *call.kwargs.values())
    )


_MAKERS = ("jax.random.", "jax.nn.", "jax.lax.", "jax.device_put", "optax.", "flax.")
_ABSTRACT = frozenset({"eval_shape", "make_jaxpr"})
_EAGER_MODULES = ("flax.nnx.Module", "equinox.Module")
