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

_GRADIENTS = frozenset({"grad", "value_and_grad"})


class LeakedTracer(Rule):
    """Keeps a traced value in a list, an attribute or a global that outlives the trace.

    ## What happens
    The place keeps a tracer, one per compilation instead of one value per call (1 of 5 logged), and
    using it later raises `UnexpectedTracerError: Encountered an unexpected tracer`. Printing it
    works, which hides the fault. `jax.checking_leaks()` finds such places at run time. A loss that
    stores what it is differentiated by into another argument, as in `params["w"] = w`, changes the
    dictionary of its caller: `jax.grad` hands the other arguments on as they are.

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
            if _is_put_into_argument(site, place):
                yield Report(
                    place.node,
                    f"`{source_of(place.node, 40)}` keeps the tracer of the gradient in a "
                    "container of the caller, which outlives the gradient: store it into a copy",
                    why_traced=True,
                )
                continue
            kept = _kept(site, place)
            if kept is None or guarded(place) or _is_set_back(site, place):
                continue
            if any(tracers(kept[1])):
                text = f"`{kept[0]}` keeps a traced value and outlives the trace: return it instead"
                yield Report(place.node, text, why_traced=True)


def _is_put_into_argument(body: Body, place: Place) -> bool:
    """A gradient hands on what it is not taken of, so a store into that is one of the caller's."""
    trace, params = body.trace, [param.name for param in body.function.params]
    if not isinstance(place, Store) or not isinstance(place.node, cst.Subscript) or trace is None:
        return False
    last = trace.chain[-1][1].partition(" of ")[0] if trace.chain else ""
    if not trace.direct or last not in _GRADIENTS or body.function.is_method:
        return False
    holder, stored = dotted(place.node.value), _stored(place)
    bound = {bind.name for bind in body.of(Bind)}
    return holder in params[1:] and stored == params[0] and bound.isdisjoint((holder, stored))


def _stored(store: Store) -> str | None:
    """The name whose value is stored as it is."""
    match store.at.statement:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[_], value=cst.Name(value=name))]):
            return name
    return None


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
