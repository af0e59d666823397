"""Slices in a subscript."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, Index
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.concrete import SIZES
from gotcha_lint.queries.traced import abstract, guarded, is_traced, tracers
from gotcha_lint.rule import Example, Report, Rule

_SLICED = frozenset({Kind.ARRAY, Kind.HOST, Kind.LIST, Kind.TUPLE})


class TracedShape(Rule):
    """Uses a traced array as a size: a shape, a `range`, a slice bound, a number of classes.

    ## What happens
    Shapes are part of the compiled program, so they cannot depend on values that are not there yet.
    The messages differ: `range(n)` raises `TracerIntegerConversionError`, `jnp.arange(n)` and
    `one_hot` raise `ConcretizationTypeError`, `jnp.zeros(n)` and `reshape(n, -1)` raise
    `TypeError: Shapes must be 1D sequences of concrete values of integer type`, `x[:n]` raises
    `IndexError: ... Slice entries must be static integers`, `jax.random.split(key, n)` says that
    `parameters to jaxpr equations must have __hash__ and __eq__`.

    ## Instead
    Take the size from a `.shape`, or declare the argument in `static_argnames` (a new value then
    compiles again). For a window of fixed width at a traced position use `jax.lax.dynamic_slice`;
    for a length that varies, pad and mask: `jnp.where(jnp.arange(m) < n, x, 0)`.

    ## References
    https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerIntegerConversionError
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def positions(n):
                    return jnp.arange(n)  # ! traced-shape


                positions(3)
            """,
            good="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                @partial(jax.jit, static_argnames="n")
                def positions(n):
                    return jnp.arange(n)


                positions(3)
            """,
            raises="ConcretizationTypeError",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if not abstract(site):
            return
        for place in site.sites:
            if isinstance(place, Call) and not place.decorator:
                yield from _sizes(place)
            elif isinstance(place, Index):
                yield from _bounds(place)


def _sizes(call: Call) -> Iterator[Report]:
    unknown = call.name.startswith("?.") and call.base is not None and is_traced(call.base)
    row = SIZES.get(call.name.replace("?.", "array.") if unknown else call.name)
    if row is None:
        return
    for position, names in _arguments(row):
        value, node = call.arg(position, *names), call.arg_node(position, *names)
        if value is not None and node is not None and any(tracers(value)) and not guarded(call):
            yield Report(
                node,
                f"`{source_of(node)}` is a traced value, and `{source_of(call.node.func)}` needs "
                "a size that is known while tracing",
                why_traced=True,
            )
            return


def _arguments(
    row: tuple[tuple[int, ...], tuple[str, ...]],
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Each position with the keyword that may stand for it."""
    positions, names = row
    for number, position in enumerate(positions):
        yield position, names[number : number + 1]


def _bounds(place: Index) -> Iterator[Report]:
    if not (place.base.kind in _SLICED or place.base.of == "jax.at" or place.base.tracer):
        return
    if place.base.kind is Kind.OBJECT and place.base.of != "jax.at":
        return
    values = place.index.items if place.index.kind is Kind.TUPLE else (place.index,)
    parts = _slices(place.node)
    if parts and any(map(_traced_slice, values)) and not guarded(place):
        node = parts[0] if len(parts) == 1 else place.node
        yield Report(
            node,
            f"`{source_of(place.node)}` has a traced slice bound: the length of a slice must be "
            "known while tracing; use `jax.lax.dynamic_slice`",
            why_traced=True,
        )


def _traced_slice(value: Value) -> bool:
    return value.kind is Kind.STATIC and value.of == "slice" and value.tracer and not value.maybe


def _slices(node: cst.Subscript) -> list[cst.CSTNode]:
    return [part.slice for part in node.slice if isinstance(part.slice, cst.Slice)]
