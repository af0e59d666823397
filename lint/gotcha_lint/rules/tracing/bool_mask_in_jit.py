"""Is an index a boolean mask? Read off its text: values do not know their dtype."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Call, Index
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.analysis.values import Kind, is_tracer
from gotcha_lint.facts.concrete import NEED_SIZE
from gotcha_lint.queries.traced import abstract, guarded, is_traced
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.solve.programs import Programs


class BoolMaskInJit(Rule):
    """Selects by a traced boolean mask, or asks for the positions of what is true.

    ## What happens
    `NonConcreteBooleanIndexError: Array boolean indices must be concrete; got bool[4]`, for
    `x[mask]` and for `x.at[mask].set(v)` alike. `jnp.nonzero`, `jnp.unique`, `jnp.argwhere` and
    `jnp.where(mask)` raise `ConcretizationTypeError`. The number of selected elements would be a
    shape, and shapes must be known while tracing. Both work outside of `jit`, at a compilation for
    every new count (63 for 9 counts in one measured program).

    ## Instead
    `jnp.where(mask, x, 0)` keeps the shape; sums take `where=mask`; `jnp.nonzero` takes `size=`.

    ## References
    https://docs.jax.dev/en/latest/errors.html#jax.errors.NonConcreteBooleanIndexError
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def positive(x):
                    return jnp.sum(x[x > 0])  # ! bool-mask-in-jit


                positive(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def positive(x):
                    return jnp.sum(x, where=x > 0)


                positive(jnp.ones(3))
            """,
            raises="NonConcreteBooleanIndexError",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def first(x):
                    return jnp.nonzero(x)[0][0]  # ! bool-mask-in-jit


                first(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def first(x):
                    return jnp.nonzero(x, size=1)[0][0]


                first(jnp.ones(3))
            """,
            raises="ConcretizationTypeError",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if not abstract(site):
            return
        for place in site.sites:
            text = ""
            if isinstance(place, Index) and _masked(site, place):
                text = f"`{source_of(place.node)}` selects by a traced mask: use `jnp.where`"
            elif isinstance(place, Call) and _needs_size(place):
                func, cure = source_of(place.node.func), NEED_SIZE.get(place.name, ("size",))[0]
                text = f"the values decide how many results `{func}` gives: it needs `{cure}=` here"
            if text and not guarded(place):
                yield Report(place.node, text, why_traced=True)

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("sized"):
            (name,) = fault.text
            cure = "three arguments" if name == "where" else "`size=`"
            yield Foreseen(
                (fault.path, fault.span),
                f"the values decide how many results `{name}` gives, and JAX traces it here: it "
                f"needs {cure}",
                fault.places,
                fault.certain,
            )
        for fault in programs.faults.of("mask"):
            yield Foreseen(
                (fault.path, fault.span),
                "this selects by a traced mask, and the size of the result would depend on its "
                "values: use `jnp.where`, or multiply by the mask and divide by its sum",
                fault.places,
                fault.certain,
            )


def _masked(body: Body, place: Index) -> bool:
    base = place.base
    if (
        not (base.kind in (Kind.ARRAY, Kind.HOST) or base.of == "jax.at" or base.tracer)
        or base.kind is Kind.LIST
    ):
        return False
    return is_tracer(place.index) and _is_mask(body, place.node.slice)


def _needs_size(call: Call) -> bool:
    value = call.base if call.name.startswith("array.") else call.arg(0)
    if call.decorator or value is None or not is_traced(value):
        return False
    if call.name == "jax.numpy.where":
        return len(call.args) == 1 and not call.kwargs and not call.starred
    wanted = NEED_SIZE.get(call.name)
    return wanted is not None and not any(name in call.kwargs for name in wanted)


_LOGIC = frozenset(
    f"jax.numpy.{name}"
    for name in [
        "logical_and",
        "logical_or",
        "logical_not",
        "logical_xor",
        "isnan",
        "isfinite",
        "isinf",
        "greater",
        "less",
        "greater_equal",
        "less_equal",
        "equal",
        "not_equal",
        "isin",
    ]
)
_ORDER = (
    cst.LessThan,
    cst.GreaterThan,
    cst.LessThanEqual,
    cst.GreaterThanEqual,
    cst.Equal,
    cst.NotEqual,
)


def _is_mask(body: Body, parts: Sequence[cst.SubscriptElement]) -> bool:
    """One of the parts of a subscript is surely boolean."""
    return any(isinstance(p.slice, cst.Index) and _boolean(body, p.slice.value) for p in parts)


def _boolean(body: Body, node: cst.BaseExpression, follow: bool = True) -> bool:
    match node:
        case cst.Comparison(comparisons=[one]):
            return isinstance(one.operator, _ORDER)
        case cst.UnaryOperation(operator=cst.BitInvert(), expression=inner):
            return _boolean(body, inner, follow)
        case cst.BinaryOperation(left=left, operator=cst.BitAnd() | cst.BitOr(), right=right):
            return _boolean(body, left, follow) and _boolean(body, right, follow)
        case cst.Call():
            call = body.call_of(node)
            return call is not None and call.name in _LOGIC
        case cst.Name(value=name) if follow:
            sources = [bind.source for bind in body.of(Bind) if bind.name == name]
            return bool(sources) and all(
                isinstance(s, cst.BaseExpression) and _boolean(body, s, False) for s in sources
            )
    return False
