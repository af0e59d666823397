"""What a functional update was meant to change."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.known import STATIC_ATTRIBUTES
from gotcha_lint.analysis.model import Imported
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import dotted, source_of, walk
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts import Fact
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
    # What a kernel is given looks like an array to the analysis, and so does what it hands on.
    if body.trace is not None and "pallas" in body.trace.roles:
        return True
    if _named_reference(body, updated):
        return True
    if base is not None and base.kind is Kind.OBJECT and base.of == "jax.at" and not base.maybe:
        return False
    return _imports_pallas(body)


def _named_reference(body: Body, updated: cst.CSTNode) -> bool:
    """`o_ref`, but for a name of this function's own that it gives an array to."""
    name = source_of(updated)
    held = body.names.get(name)
    return name.lower().endswith(("ref", "refs")) and not (
        held is not None and held.kind is Kind.ARRAY and not held.maybe and not held.param
    )


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


def maps_purely(body: Body, call: Call) -> bool:
    """`jax.tree.map(lambda g: 2 * g, grads)`: its function computes, and does nothing else."""
    function = call.args[0]
    if function.kind is Kind.NAMED:
        return function.of.startswith(_PURE_MODULES) and _gives_arrays(body, function.of)
    node = call.arg_node(0)
    if not isinstance(node, cst.Lambda) or _only_looks(node.body):
        return False
    parts = list(walk(node.body))
    return not any(
        isinstance(part, cst.NamedExpr | cst.Await | cst.Yield) for part in parts
    ) and all(_computes(body, part) for part in parts if isinstance(part, cst.Call))


def _gives_arrays(body: Body, name: str) -> bool:
    """Not `jnp.shape`, `jnp.ndim`, `jnp.result_type`."""
    fact = body.project.facts.get(name) if body.project else Fact()
    return fact.returns.startswith(("array", "part"))


def _only_looks(result: cst.BaseExpression) -> bool:
    """`None` for each leaf, which asks whether the trees are alike, or a leaf's shape and type."""
    match result:
        case cst.Name(value="None"):
            return True
        case cst.Attribute(attr=cst.Name(value=name)):
            return name in STATIC_ATTRIBUTES
        case cst.Tuple(elements=elements):
            return all(_only_looks(element.value) for element in elements)
    return False


def _computes(body: Body, call: cst.Call) -> bool:
    name = dotted(call.func) or ""
    _head, _, tail = name.partition(".")
    hows = lookup(body.function.scope, name) or []
    return bool(hows) and all(
        isinstance(how, Imported) and f"{how}.{tail}".startswith(_PURE_MODULES) for how in hows
    )


_PURE_MODULES = ("jax.numpy.", "jax.nn.")
