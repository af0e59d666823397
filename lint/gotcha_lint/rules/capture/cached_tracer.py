from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Return
from gotcha_lint.analysis.syntax import names_in, source_of
from gotcha_lint.queries.classes import is_plain, named_types
from gotcha_lint.queries.traced import abstract, guarded, tracers
from gotcha_lint.rule import Example, Report, Rule

_CACHES = frozenset({"functools.lru_cache", "functools.cache"})
_OF_OBJECTS = frozenset({"functools.cached_property"})
_CONCRETE = "ensure_compile_time_eval"


class CachedTracer(Rule):
    """Keeps an array that is made while a function is traced in a cache of `functools`.

    ## What happens
    Under `jax.jit`, `jnp.arange(8)` is a tracer too, and the cache keeps it. The next trace, for
    another shape, say, finds it: `UnexpectedTracerError: Encountered an unexpected tracer. A
    function transformed by JAX had a side effect, allowing for a reference to an intermediate value
    with type int32[8] wrapped in a DynamicJaxprTracer to escape the scope of the transformation.`
    The same after `jax.lax.scan`, and with `functools.cached_property` of an object that is static
    or captured. As long as the function is traced once, all is well.

    ## Instead
    Make the table with numpy, which is a constant of the program, or without the cache: the
    function is traced once per compilation anyway. `with jax.ensure_compile_time_eval():` gives a
    real array.

    ## Not reported
    Functions that are also called outside of any trace, which may fill the cache with arrays; a
    cache within a traced function, which dies with the trace; methods, and properties of an object
    that may be made again in each trace, as modules of Flax and Equinox are. Under `jax.grad`
    alone, arrays that do not depend on its arguments are real ones.

    ## References
    https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError
    """

    severity = "error"
    preview = True
    roots = frozenset({"lru_cache", "cache", "cached_property"})
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
        Example(
            bad="""
                from functools import cached_property, partial

                import jax
                import jax.numpy as jnp


                class Encoder:
                    def __init__(self, size):
                        self.size = size

                    @cached_property  # ! cached-tracer
                    def positions(self):
                        return jnp.arange(self.size) / self.size

                    @partial(jax.jit, static_argnums=0)
                    def encode(self, x):
                        return x + self.positions


                encoder = Encoder(8)
                encoder.encode(jnp.ones((2, 8)))
                encoder.encode(jnp.ones((4, 8)))
            """,
            good="""
                from functools import cached_property, partial

                import jax
                import jax.numpy as jnp
                import numpy as np


                class Encoder:
                    def __init__(self, size):
                        self.size = size

                    @cached_property
                    def positions(self):
                        return np.arange(self.size, dtype=np.float32) / self.size

                    @partial(jax.jit, static_argnums=0)
                    def encode(self, x):
                        return x + self.positions


                encoder = Encoder(8)
                encoder.encode(jnp.ones((2, 8)))
                encoder.encode(jnp.ones((4, 8)))
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
                    "traced, and the next trace gets a tracer of this trace: make it with numpy, "
                    "or do not cache it",
                    places=((place.node, "an array that is made in the trace"),),
                    why_traced=True,
                )
                return


def _staged(body: Body) -> bool:
    return body.trace is not None and body.trace.staged and "eval_shape" not in body.trace.roles


def _cache(body: Body) -> cst.BaseExpression | None:
    """The decorator that keeps the results longer than a trace."""
    function, cls = body.function, body.function.cls
    if not isinstance(function.node, cst.FunctionDef):
        return None
    if cls is None:
        caches = _CACHES if function.parent is body.model.module else frozenset[str]()
    else:
        plain = body.project is not None and is_plain(
            body.project, body.model, (body.model.path, cls.number)
        )
        caches = _OF_OBJECTS if plain else frozenset[str]()
    for decorator in function.node.decorators if caches else ():
        expression = decorator.decorator
        name = expression.func if isinstance(expression, cst.Call) else expression
        if not caches.isdisjoint(named_types(body, name)):
            return expression
    return None
