from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Return
from gotcha_lint.analysis.syntax import names_in, source_of
from gotcha_lint.queries.classes import named_types
from gotcha_lint.queries.traced import abstract, guarded, tracers
from gotcha_lint.rule import Example, Report, Rule

_CACHES = frozenset({"functools.lru_cache", "functools.cache"})
_CONCRETE = "ensure_compile_time_eval"


class CachedTracer(Rule):
    """Keeps an array that is made while a function is traced in `functools.lru_cache` or `cache`.

    ## What happens
    Under `jax.jit`, `jnp.arange(8)` is a tracer too, and the cache keeps it. The next trace, for
    another shape, say, finds it: `UnexpectedTracerError: Encountered an unexpected tracer. A
    function transformed by JAX had a side effect, allowing for a reference to an intermediate value
    with type int32[8] wrapped in a DynamicJaxprTracer to escape the scope of the transformation.`
    The same after `jax.lax.scan`, and with `functools.cached_property`. As long as the function is
    traced once, all is well.

    ## Instead
    Make the table with numpy, which is a constant of the program, or without the cache: the
    function is traced once per compilation anyway. `with jax.ensure_compile_time_eval():` gives a
    real array.

    ## Not reported
    Functions that are also called outside of any trace, which may fill the cache with arrays; a
    cache within a traced function, which dies with the trace; methods and properties, whose object
    may be made anew in each trace. Under `jax.grad` alone, arrays
    that do not depend on its arguments are real ones.

    ## References
    https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError
    """

    severity = "error"
    preview = True
    roots = frozenset({"lru_cache", "cache"})
    examples = (
        Example(
            bad="""
                from functools import lru_cache

                import jax
                import jax.numpy as jnp


                @lru_cache  # ! cached-tracer
                def positions(n):
                    return jnp.arange(n) / n


                @jax.jit
                def encode(x):
                    return x + positions(x.shape[-1])


                encode(jnp.ones((2, 8)))
                encode(jnp.ones((4, 8)))
            """,
            good="""
                from functools import lru_cache

                import jax
                import jax.numpy as jnp
                import numpy as np


                @lru_cache
                def positions(n):
                    return np.arange(n, dtype=np.float32) / n


                @jax.jit
                def encode(x):
                    return x + positions(x.shape[-1])


                encode(jnp.ones((2, 8)))
                encode(jnp.ones((4, 8)))
            """,
            raises="UnexpectedTracerError",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if not site.only_traced or not abstract(site) or not _staged(site):
            return
        cache = _cache(site)
        if cache is None or _CONCRETE in names_in(site.function.node):
            return
        for place in site.of(Return):
            if any(tracers(place.value)) and not guarded(place):
                yield Report(
                    cache,
                    f"`{source_of(cache, 40)}` keeps what `{site.function.name}` makes while it is "
                    "traced, and the next trace finds a tracer of this one: make it with numpy, "
                    "or without the cache",
                    places=((place.node, "an array that is made in the trace"),),
                    why_traced=True,
                )
                return


def _staged(body: Body) -> bool:
    return body.trace is not None and body.trace.staged and "eval_shape" not in body.trace.roles


def _cache(body: Body) -> cst.BaseExpression | None:
    """The decorator that keeps the results longer than a trace."""
    function = body.function
    if not isinstance(function.node, cst.FunctionDef) or function.cls is not None:
        return None
    if function.parent is not body.model.module:
        return None
    for decorator in function.node.decorators:
        expression = decorator.decorator
        name = expression.func if isinstance(expression, cst.Call) else expression
        if not _CACHES.isdisjoint(named_types(body, name)):
            return expression
    return None
