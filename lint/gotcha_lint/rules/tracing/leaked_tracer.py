"""A tracer kept where it outlives its trace."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Call, Place, Store
from gotcha_lint.analysis.syntax import dotted, source_of
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.queries.outliving import outlives
from gotcha_lint.queries.traced import abstract, guarded, tracers
from gotcha_lint.rule import Example, Report, Rule

_ADDING = frozenset({"append", "appendleft", "extend", "insert", "add", "update", "setdefault"})


class LeakedTracer(Rule):
    """Keeps a traced value in a list, an attribute or a global that outlives the trace.

    ## What happens
    The place keeps a tracer, one per compilation instead of one value per call (1 of 5 logged), and
    using it later raises `UnexpectedTracerError: Encountered an unexpected tracer`. Printing it
    works, which hides the fault. `jax.checking_leaks()` finds such places at run time.

    ## Instead
    Return the value from the traced function, and store it outside.

    ## Not reported
    Variables of Flax modules, `self.sow`, and references (`jax.new_ref`, Pallas).

    ## References
    https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                losses = []


                @jax.jit
                def step(w):
                    loss = jnp.sum(w**2)
                    losses.append(loss)  # ! leaked-tracer
                    return w - 0.1 * w


                step(jnp.ones(3))
                total = losses[0] + 1.0
            """,
            good="""
                import jax
                import jax.numpy as jnp

                losses = []


                @jax.jit
                def step(w):
                    loss = jnp.sum(w**2)
                    return w - 0.1 * w, loss


                losses.append(step(jnp.ones(3))[1])
                total = losses[0] + 1.0
            """,
            raises="UnexpectedTracerError",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if not abstract(site) or site.trace is None or "eval_shape" in site.trace.roles:
            return
        for place in site.sites:
            kept = _kept(site, place)
            if kept is None or guarded(place) or _is_set_back(site, place):
                continue
            if any(tracers(kept[1])):
                text = f"`{kept[0]}` keeps a traced value and outlives the trace: return it instead"
                yield Report(place.node, text, why_traced=True)


def _is_set_back(body: Body, place: Place) -> bool:
    """`saved = ctx.seed; ctx.seed = traced; ...; ctx.seed = saved`: nothing outlives the trace."""
    name = dotted(place.node) if isinstance(place.node, cst.Attribute) else None
    return name is not None and any(
        dotted(later.node) == name
        and later.at.order > place.at.order
        and later.at.is_passed_by(place.at)
        and not any(tracers(later.value))
        for later in body.of(Store)
    )


def _kept(body: Body, place: Place) -> tuple[str, Value] | None:
    """Where something is kept that outlives the trace, and what."""
    if isinstance(place, Bind):
        scope = body.function.scope
        kept = place.name in scope.global_names or (
            place.name in scope.nonlocal_names and outlives(body, place.name)
        )
        return (place.name, place.value) if kept else None
    if isinstance(place, Store) and isinstance(place.node, cst.Attribute | cst.Subscript):
        name = dotted(place.node.value)
        attribute = isinstance(place.node, cst.Attribute)
        if name is not None and outlives(body, name, place.base, attribute=attribute):
            return source_of(place.node, 40), place.value
    if (
        isinstance(place, Call)
        and isinstance(place.node, cst.Call)
        and place.base is not None
        and place.args
    ):
        func = place.node.func
        if isinstance(func, cst.Attribute) and func.attr.value in _ADDING:
            name = dotted(func.value)
            if (
                name is not None
                and place.base.kind is Kind.LIST
                and outlives(body, name, place.base)
            ):
                return name, place.args[-1]
    return None
