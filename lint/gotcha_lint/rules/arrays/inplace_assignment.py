"""`x[i] = v` on a jax array."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Store
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.analysis.values import Kind
from gotcha_lint.queries.rebind import rebindable
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, text_of

_METHODS: dict[type[cst.BaseAugOp], str] = {
    cst.AddAssign: "add",
    cst.SubtractAssign: "subtract",
    cst.MultiplyAssign: "multiply",
    cst.DivideAssign: "divide",
    cst.PowerAssign: "power",
}


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
    References (`jax.new_ref`, Pallas), numpy arrays, lists and dicts.

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
        if not isinstance(target, cst.Subscript) or site.base.kind is not Kind.ARRAY or site.base.maybe:
            return
        if _may_be_reference(site.body, site, target):
            return
        yield Report(
            target,
            f"`{source_of(target.value, 40)}` is a JAX array: its elements cannot be assigned to",
            _fix(site, target),
        )


def _may_be_reference(body: Body, site: Store, target: cst.Subscript) -> bool:
    kernel = body.trace is not None and "pallas" in body.trace.roles
    return kernel or source_of(target.value).lower().endswith(("ref", "refs"))


def _fix(site: Store, target: cst.Subscript) -> Rewrite | None:
    name = rebindable(site.body, target.value)
    found = _assignment(site.at.statement, target)
    if not name or found is None:
        return None
    node, value, method = found
    index = text_of(target)[len(text_of(target.value)) :]
    text = f"{name} = {name}.at{index}.{method}({text_of(value)})"
    return Rewrite(f"Use `.at[...].{method}`", (Change(node, text=text),), safe="." not in name)


def _assignment(
    statement: cst.CSTNode, target: cst.Subscript
) -> tuple[cst.CSTNode, cst.BaseExpression, str] | None:
    """The assignment to this one target, its right side and the update that does the same."""
    for small in getattr(statement, "body", ()):
        match small:
            case cst.Assign(targets=[cst.AssignTarget(target=one)], value=value) if one is target:
                return small, value, "set"
            case cst.AugAssign(operator=operator, value=value) if small.target is target:
                method = _METHODS.get(operator.__class__)
                return (small, value, method) if method else None
    return None
