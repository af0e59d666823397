"""A tracer kept where it outlives its trace."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.results import MODULES
from gotcha_lint.analysis.sites import Bind, Body, Call, Place, Store
from gotcha_lint.analysis.syntax import dotted, source_of
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.queries.traced import CONCRETE_ROLES, abstract, guarded, tracers
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
            place.name in scope.nonlocal_names and _outlives(body, place.name)
        )
        return (place.name, place.value) if kept else None
    if isinstance(place, Store) and isinstance(place.node, cst.Attribute | cst.Subscript):
        name = dotted(place.node.value)
        attribute = isinstance(place.node, cst.Attribute)
        if name is not None and _outlives(body, name, place.base, attribute=attribute):
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
                and _outlives(body, name, place.base)
            ):
                return name, place.args[-1]
    return None


def _outlives(body: Body, name: str, held: Value | None = None, *, attribute: bool = False) -> bool:
    """A name of an outer function or of the module, or an attribute of a lasting object."""
    head, dot, _ = name.partition(".")
    trace = body.trace
    if trace is None or (held is not None and not _plain(body, held, attribute or bool(dot))):
        return False
    scope = body.function.scope
    if head in scope.bound.keys() - scope.global_names - scope.nonlocal_names:
        return _own_object(body, head)
    owner = scope.outer(head)
    if owner is None:
        return False
    return owner.kind == "module" or _crosses(body)


def _plain(body: Body, held: Value, attribute: bool) -> bool:
    """A Python container, or an object that no library keeps for its traces."""
    if held.tracer and held.kind is not Kind.LIST:
        return False
    if held.kind is Kind.LIST:
        return True
    project = body.project
    if held.kind is not Kind.OBJECT or held.cls is None or project is None:
        return False
    return attribute and not project.is_a(held.cls, *MODULES) and not project.decorators(held.cls)


def _crosses(body: Body) -> bool:
    """The function itself is given to a transform: what it stores outside leaves the trace."""
    trace = body.trace
    if trace is None or not trace.direct or len(trace.chain) != 1:  # else the owner is traced too
        return False
    role = trace.chain[-1][1].partition(" of ")[0]
    return role not in CONCRETE_ROLES | {"vmap", "pallas", "module"} and "pallas" not in trace.roles


def _own_object(body: Body, head: str) -> bool:
    """`self` of a bound method that is itself compiled."""
    params = body.function.params
    first = bool(params) and body.function.is_method and params[0].name == head
    trace = body.trace
    return first and trace is not None and head in trace.static and _crosses(body)
