"""Dictionaries in which a program keeps its jitted functions, and the keys that it uses."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.faults.caches import OTHER_KEY, SHORT_KEY
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class WrongCacheKey(Rule):
    """Keeps jitted functions in a dictionary, under a key that does not fit.

    ## What happens
    Asked for under one key and stored under another, a function is never found: each call traces
    and compiles again. Under a key that leaves out what the function captures, the first one is
    found for all: it goes on with the numbers of the first call, without an error.

    ## Instead
    One name for the key, with all in it that the function captures. Or no dictionary: a jitted
    function keeps one program for each shape by itself, and takes the numbers as arguments (or
    `static_argnames`, where they are sizes).

    ## Not reported
    Captured functions, models and settings whose attributes are read, which mostly stay the same;
    functions whose key is made elsewhere.

    ## In a run
    The sanitizer's `recompile` tells of the functions that are never found; of those that are
    found by mistake is not reported.
    """

    confirmed_by = (("recompile", "new-function"),)
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                steps = {}


                def step_for(x):
                    if x.shape not in steps:
                        steps[x.ndim] = jax.jit(lambda v: v * 0.5)  # ! wrong-cache-key
                    return steps[x.ndim]


                x = jnp.ones(3)
                for _ in range(5):
                    x = step_for(x)(x)
            """,
            good="""
                import jax
                import jax.numpy as jnp

                steps = {}


                def step_for(x):
                    if x.shape not in steps:
                        steps[x.shape] = jax.jit(lambda v: v * 0.5)
                    return steps[x.shape]


                x = jnp.ones(3)
                for _ in range(5):
                    x = step_for(x)(x)
            """,
            compiles=4,
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                steps = {}


                def scaled(x, rate):
                    if x.shape not in steps:
                        steps[x.shape] = jax.jit(lambda v: v * rate)  # ! wrong-cache-key
                    return steps[x.shape](x)


                first = float(scaled(jnp.ones(3), 1.0)[0])
                second = float(scaled(jnp.ones(3), 0.5)[0])
            """,
            good="""
                import jax
                import jax.numpy as jnp

                steps = {}


                def scaled(x, rate):
                    if (x.shape, rate) not in steps:
                        steps[x.shape, rate] = jax.jit(lambda v: v * rate)
                    return steps[x.shape, rate](x)


                first = float(scaled(jnp.ones(3), 1.0)[0])
                second = float(scaled(jnp.ones(3), 0.5)[0])
            """,
            shows="first == second",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(OTHER_KEY):
            (cache,) = fault.text
            asked, stored, *calls = fault.places
            yield Foreseen(
                (fault.path, fault.span),
                f"`{{}}` is looked for in `{cache}`, but `{{}}` is stored: what is compiled is "
                "never found",
                (asked, *calls),
                quotes=(asked[:2], stored[:2]),
            )
        for fault in programs.faults.of(SHORT_KEY):
            (name,) = fault.text
            key, *calls = fault.places
            yield Foreseen(
                (fault.path, fault.span),
                f"the jitted function captures `{name}`, which is not in the key `{{}}`: the "
                f"first one is found for every `{name}`",
                tuple(calls),
                quotes=(key[:2],),
            )
