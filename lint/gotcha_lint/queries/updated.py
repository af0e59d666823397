"""What a functional update was meant to change."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.model import Imported
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.updates import ARRAY_UPDATES, STATE_UPDATES, STRUCTS


def through_at(func: cst.CSTNode) -> cst.BaseExpression | None:
    """`x` of `x.at[...].set`."""
    match func:
        case cst.Attribute(
            value=cst.Subscript(value=cst.Attribute(value=base, attr=cst.Name(value="at")))
        ):
            return base
    return None


def is_reference(body: Body, base: Value | None, updated: cst.CSTNode) -> bool:
    if base is not None and base.kind is Kind.OBJECT and base.of == "jax.at" and not base.maybe:
        return False
    kernel = body.trace is not None and "pallas" in body.trace.roles
    return kernel or _imports_pallas(body) or source_of(updated).endswith("ref")


def _imports_pallas(body: Body) -> bool:
    """Its kernels store in place, through references of many names."""
    bound = body.model.module.scope.bound.values()
    return any("pallas" in str(how) for hows in bound for how in hows if isinstance(how, Imported))


def updates_object(body: Body, base: Value, method: str) -> bool:
    if base.maybe:
        return False
    if base.kind is Kind.ARRAY:
        return method in ARRAY_UPDATES
    if base.kind is not Kind.OBJECT or method not in STATE_UPDATES:
        return False
    if base.cls is None:
        return base.of in STRUCTS
    project = body.project
    if project is None or project.method(base.cls, method) is not None:
        return False
    return project.is_a(base.cls, *STRUCTS) or not project.decorators(base.cls).isdisjoint(STRUCTS)
