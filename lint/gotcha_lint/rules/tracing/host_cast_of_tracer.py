"""A tracer turned into a Python number or a numpy array."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.analysis.sites import Body, Call, Index
from gotcha_lint.analysis.values import Kind
from gotcha_lint.queries.casts import cast
from gotcha_lint.queries.traced import abstract, guarded, is_traced, surely_traced
from gotcha_lint.rule import Example, Report, Rule


class HostCastOfTracer(Rule):
    """Turns a traced array into a Python number or a numpy array.

    ## What happens
    `float(x)`, `int(x)`, `x.item()`, `x.tolist()` and `math.sqrt(x)` raise
    `ConcretizationTypeError: Abstract tracer value encountered where concrete value is expected`;
    `np.asarray(x)`, `np.sqrt(x)` and most of numpy raise `TracerArrayConversionError`.
    `np.array_equal(a, b)` raises nothing and answers False, whatever the arrays hold.

    ## Instead
    Stay with `jnp`, whose functions have the same names. Cast outside, on what the function
    returns.

    ## Not reported
    The numpy functions that only call a method of their argument (`np.sum`, `np.mean`, `np.max`,
    `np.reshape`, ...) or read its shape: they work. In a helper, what waits for an optional
    argument that no traced call is seen to give, or to leave out.

    ## References
    https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerArrayConversionError
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def normalise(x):
                    return x / np.linalg.norm(x)  # ! host-cast-of-tracer


                normalise(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def normalise(x):
                    return x / jnp.linalg.norm(x)


                normalise(jnp.ones(3))
            """,
            raises="TracerArrayConversionError",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if not surely_traced(site):
            return
        for place in site.sites:
            if isinstance(place, Call) and not place.decorator:
                what = cast(site, place)
                if what and not guarded(place):
                    yield Report(place.node, what, why_traced=True)
            elif isinstance(place, Index) and abstract(site):
                yield from _looked_up(place)


def _looked_up(place: Index) -> Iterator[Report]:
    """`numpy_table[i]` and `layers[i]` with a traced `i`."""
    base = place.base
    listed = base.kind is Kind.TUPLE or (base.kind is Kind.LIST and base.of == "list")
    if (
        not is_traced(place.index)
        or base.maybe
        or base.tracer
        or not (listed or base.kind is Kind.HOST)
    ):
        return
    what = "a list" if listed else "a numpy array"
    cure = (
        "`jax.lax.switch`, or stack it and index the stack" if listed else "`jnp.asarray(...)[i]`"
    )
    yield Report(
        place.node, f"{what} cannot be indexed by a traced value: use {cure}", why_traced=True
    )
