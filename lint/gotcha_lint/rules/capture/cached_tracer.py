from collections.abc import Iterator

from gotcha_lint.interpret.faults.leaks import CACHED
from gotcha_lint.interpret.faults.remarks import CACHE_ASKED
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


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
    confidence = "medium"
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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        outside = _asked_outside(programs)
        for fault in programs.faults.of(CACHED):
            here, (name,) = (fault.path, fault.span), fault.text
            if (fault.path, *map(str, fault.span)) not in outside:
                yield Foreseen(
                    here,
                    f"`{{}}` keeps what `{name}` makes while it is traced, and the next trace gets "
                    "a tracer of this trace: make it with numpy, or do not cache it",
                    fault.places,
                    fault.certain,
                    quotes=(here,),
                )


def _asked_outside(programs: Programs) -> set[tuple[str, ...]]:
    """The caches that plain code asks, which nothing traces: they may have arrays by then."""
    outside, inside = CACHE_ASKED
    traced = {fault.within for fault in programs.faults.of(inside)}
    return {fault.text for fault in programs.faults.of(outside) if fault.within not in traced}
