"""`x[i] = v` on a jax array."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import At, Store
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.updates import AT_UPDATES
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.places import small_statements
from gotcha_lint.queries.rebind import rebindable
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, text_of


class InplaceAssignment(Rule):
    """Assigns to elements of a JAX array.

    ## What happens
    `TypeError: JAX arrays are immutable and do not support in-place item assignment.` The same for
    `x[i] += v`. `np.asarray(x)[i] = v` fails too (the view is read-only); `np.array(x)` copies and
    may be written.

    ## Instead
    `x = x.at[i].set(v)`, `.at[i].add(v)` and so on. Under `jit` the compiler updates in place. In a
    loop on the host, fill a numpy array and convert it once.

    ## Not reported
    References (`jax.new_ref`, Pallas), lists and dicts, numpy arrays, also behind `jnp.reshape`,
    which leaves them what they are.

    ## References
    https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                x = jnp.zeros(4)
                x[0] = 1.0  # ! inplace-assignment
                x[1:] += 2.0  # ! inplace-assignment
            """,
            good="""
                import jax.numpy as jnp

                x = jnp.zeros(4)
                x = x.at[0].set(1.0)
                x = x.at[1:].add(2.0)
            """,
            raises="JAX arrays are immutable",
        ),
    )

    def check(self, site: Store) -> Iterator[Report]:
        target = site.node
        if not isinstance(target, cst.Subscript) or not _is_array(site, target):
            return
        if _may_be_something_else(site, target) or expected_to_fail(site.body, target):
            return
        yield Report(
            target,
            f"`{source_of(target.value, 40)}` is a JAX array: its elements cannot be assigned to",
            _fix(site, target),
        )


def _is_array(site: Store, target: cst.Subscript) -> bool:
    """Known to be one, or just given by `.at[...].set(...)`, whatever that was called on."""
    if site.base.kind is Kind.ARRAY and not site.base.maybe:
        return True
    if site.base.kind is not Kind.UNKNOWN and not site.base.maybe:
        return False
    match Flowing(site.body, site.at).resolve(target.value):
        case cst.Call(
            func=cst.Attribute(
                value=cst.Subscript(value=cst.Attribute(attr=cst.Name("at"))), attr=method
            )
        ):
            return method.value in AT_UPDATES
    return False


def _may_be_something_else(site: Store, target: cst.Subscript) -> bool:
    """A reference of a kernel, a dict, or a parameter known by its annotation only."""
    trace = site.body.trace
    if trace is not None and "pallas" in trace.roles:
        return True
    if source_of(target.value).lower().endswith(("ref", "refs")) or _is_text_key(target):
        return True
    return _annotated(site.body.function, site.base.param) and not site.base.tracer


def _annotated(function: Function, name: str) -> bool:
    return any(
        p.name == name and p.annotation is not None and "Any" not in text_of(p.annotation)
        for p in function.params
    )


def _is_text_key(target: cst.Subscript) -> bool:
    match target.slice:
        case [
            cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString() | cst.FormattedString()))
        ]:
            return True
    return False


def _fix(site: Store, target: cst.Subscript) -> Rewrite | None:
    name = rebindable(site.body, target.value)
    found = _changed(site.at, target)
    if not name or found is None:
        return None
    node, value, method = found
    index = text_of(target)[len(text_of(target.value)) :]
    text = f"{name} = {name}.at{index}.{method}({text_of(value)})"
    return Rewrite(f"Use `.at[...].{method}`", (Change(node, text=text),), safe="." not in name)


_METHODS: dict[type[cst.BaseAugOp], str] = {
    cst.AddAssign: "add",
    cst.SubtractAssign: "subtract",
    cst.MultiplyAssign: "multiply",
    cst.DivideAssign: "divide",
    cst.PowerAssign: "power",
}


def _changed(at: At, target: cst.Subscript) -> tuple[cst.CSTNode, cst.BaseExpression, str] | None:
    """The assignment to this one target, its right side and the update that does the same."""
    for small in small_statements(at):
        match small:
            case cst.Assign(targets=[cst.AssignTarget(target=one)], value=value) if one is target:
                return small, value, "set"
            case cst.AugAssign(operator=operator, value=value) if small.target is target:
                method = _METHODS.get(operator.__class__)
                return (small, value, method) if method else None
    return None
