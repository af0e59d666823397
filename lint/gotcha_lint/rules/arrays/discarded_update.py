"""`x.at[i].set(v)` and other updates that return a new value, as statements of their own."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, Discard
from gotcha_lint.analysis.syntax import dotted, literal, source_of
from gotcha_lint.analysis.values import UNKNOWN, Kind
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.updates import (
    AT_UPDATES,
    COMPARISONS,
    PURE,
)
from gotcha_lint.interpret.faults.remarks import CAST_UNDONE
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.notebooks import shown_below_cell
from gotcha_lint.queries.rebind import rebindable
from gotcha_lint.queries.updated import is_reference, maps_purely, through_at, updates_object
from gotcha_lint.rule import Change, Example, Foreseen, Report, Rewrite, Rule
from gotcha_lint.solve.programs import Programs


class DiscardedUpdate(Rule):
    """Throws away the result of an update that does not happen in place.

    ## What happens
    Nothing, and no message says so: `x.at[i].set(v)`, `state.replace(...)`,
    `state.apply_gradients(...)` and every `jnp` function return a new value and leave the old one
    as it was. A trainer that drops `apply_gradients` stays at step 0; a sampler that drops
    `logits.at[pad].set(-inf)` goes on drawing the pad token. A cast that is written to its own
    array, as in `weight[...] = weight[...].astype(jnp.bfloat16)` of a variable of nnx, only rounds:
    what is written is cast to the type that is there.

    ## Instead
    Bind the result: `x = x.at[i].set(v)`.

    ## Not reported
    Flax NNX objects and references (`jax.new_ref`, Pallas), which do change in place; the last
    expression of a notebook's cell, which is shown; calls that only look at shapes and structure.

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
        if subject is None or expected_to_fail(site.body, site.node) or shown_below_cell(site):
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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for effect in programs.effects["dropped"].values():
            yield Foreseen(
                (effect.path, effect.span),
                f"this returns a new `{effect.what}` and changes nothing, and its result is "
                "thrown away",
                tuple((*place, "the new one is made here") for place in effect.origins),
                certain=not effect.maybe,
            )
        for fault in programs.faults.of(CAST_UNDONE):
            yield Foreseen(
                (fault.path, fault.span),
                "`[...] =` casts back to the type that is there: the cast only rounds, and the "
                "array keeps its type",
                fault.places,
                fault.certain,
            )


def _subject(body: Body, call: Call) -> cst.CSTNode | None:
    """What was meant to be updated; the call itself where it is nothing that can be named."""
    func = call.node.func
    method = func.attr.value if isinstance(func, cst.Attribute) else ""
    if method in AT_UPDATES:
        updated = through_at(func)
        if updated is not None:
            other = is_reference(body, call.base, updated) or _has_its_own(body, updated)
            return None if other else updated
    if isinstance(func, cst.Attribute) and call.base is not None:
        return func.value if updates_object(body, call.base, method) else None
    if call.name in PURE:
        return call.arg_node(PURE[call.name]) or call.node
    if not call.name.startswith("jax."):
        return None
    if call.name == "jax.tree.map" and len(call.args) > 1 and maps_purely(body, call):
        return None if is_test(body.model.path) else call.arg_node(1) or call.node
    fact = body.fact(call)
    if fact.effect or fact.transform or fact.key is not None or fact.calls is not None:
        return None
    if is_test(body.model.path) and call.name not in COMPARISONS:
        return None  # that it runs is what is tested
    pure = call.name.startswith(("jax.numpy.", "jax.nn.")) and fact.returns.startswith(
        ("array", "part")
    )
    return call.node if pure and not _of_literals(call.node) else None


def _has_its_own(body: Body, node: cst.CSTNode) -> bool:
    """An object of a class of the project, whose `.at` is not that of an array."""
    value = body.names.get(dotted(node) or "", UNKNOWN)
    return value.kind is Kind.OBJECT and value.cls is not None


def _of_literals(node: cst.Call) -> bool:
    """`jnp.divide(0.0, 0.0)`: no array that was meant to change."""
    return all(literal(arg.value) is not None for arg in node.args)
