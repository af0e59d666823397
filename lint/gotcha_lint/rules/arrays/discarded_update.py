"""`x.at[i].set(v)` and other updates that return a new value, as statements of their own."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, Discard
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.updates import ARRAY_UPDATES, AT_UPDATES, PURE, STATE_UPDATES, STRUCTS
from gotcha_lint.queries.rebind import rebindable
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule


class DiscardedUpdate(Rule):
    """Throws away the result of an update that does not happen in place.

    ## What happens
    Nothing, and no message says so: `x.at[i].set(v)`, `state.replace(...)`,
    `state.apply_gradients(...)` and every `jnp` function return a new value and leave the old one
    as it was. A trainer that drops `apply_gradients` stays at step 0; a sampler that drops
    `logits.at[pad].set(-inf)` goes on drawing the pad token.

    ## Instead
    Bind the result: `x = x.at[i].set(v)`.

    ## Not reported
    Flax NNX objects and references (`jax.new_ref`, Pallas), which do change in place.

    ## References
    https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                logits = jnp.ones(4)
                logits.at[0].set(-jnp.inf)  # ! discarded-update
            """,
            good="""
                import jax.numpy as jnp

                logits = jnp.ones(4)
                logits = logits.at[0].set(-jnp.inf)
            """,
            shows="bool(jnp.all(jnp.isfinite(logits)))",
        ),
    )

    def check(self, site: Discard) -> Iterator[Report]:
        call = site.body.call_of(site.node)
        if call is None or not isinstance(call.node, cst.Call):
            return
        subject = _subject(site.body, call)
        if subject is None:
            return
        name = rebindable(site.body, subject)
        fix = None
        if name:
            title = f"Bind the result to `{name}`"
            fix = Rewrite(title, (Change(site.node, before=f"{name} = "),), safe="." not in name)
        hint = f"; write `{name} = ...`" if name else ""
        yield Report(
            site.node,
            f"`{source_of(call.node.func, 40)}(...)` returns a new value and changes nothing, "
            f"and its result is thrown away{hint}",
            fix,
        )


def _subject(body: Body, call: Call) -> cst.CSTNode | None:
    """What was meant to be updated; the call itself where it is nothing that can be named."""
    func = call.node.func
    method = func.attr.value if isinstance(func, cst.Attribute) else ""
    if method in AT_UPDATES:
        updated = _through_at(func)
        if updated is not None:
            return None if _is_reference(body, call.base, updated) else updated
    if isinstance(func, cst.Attribute) and call.base is not None:
        return func.value if _updates_object(body, call.base, method) else None
    if call.name in PURE:
        return call.arg_node(0) or call.node
    if not call.name.startswith("jax."):
        return None
    fact = body.fact(call)
    if fact.effect or fact.transform or fact.key is not None or fact.calls is not None:
        return None
    if call.name.startswith(("jax.numpy.", "jax.nn.")) and fact.returns in ("array", "arrays"):
        return call.node
    return None


def _through_at(func: cst.CSTNode) -> cst.BaseExpression | None:
    """`x` of `x.at[...].set`."""
    match func:
        case cst.Attribute(value=cst.Subscript(value=cst.Attribute(value=base, attr=cst.Name(value="at")))):
            return base
    return None


def _is_reference(body: Body, base: Value | None, updated: cst.CSTNode) -> bool:
    if base is not None and base.kind is Kind.OBJECT and base.of == "jax.at" and not base.maybe:
        return False
    kernel = body.trace is not None and "pallas" in body.trace.roles
    return kernel or source_of(updated).endswith("ref")


def _updates_object(body: Body, base: Value, method: str) -> bool:
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
