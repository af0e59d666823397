"""A counter of the host is incremented while JAX traces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs

# The author's intention, which names show at best: a common way to see how often JAX traces.
_OF_TRACES = re.compile("trac|compil|lower|calls", re.IGNORECASE)


class CounterInJit(Rule):
    """Increments a counter of the host in a compiled function.

    ## What happens
    Python runs only while the function is traced, so `seen += 8` happens once for each program and
    not at each call: 8 examples after five steps of 8. Nothing fails.

    ## Instead
    Count where the function is called, or give the counter to it and return the new one.

    ## Not reported
    What the trace has made itself. Counters whose names say that traces or compilations are
    counted are shown with `--all`, as `info`.
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                seen = 0


                @jax.jit
                def step(w, x):
                    global seen
                    seen += x.shape[0]  # ! counter-in-jit
                    return w - 0.1 * jnp.mean(x)


                w = jnp.zeros(3)
                for _ in range(5):
                    w = step(w, jnp.ones((8, 3)))
            """,
            good="""
                import jax
                import jax.numpy as jnp

                seen = 0


                @jax.jit
                def step(w, x):
                    return w - 0.1 * jnp.mean(x)


                w = jnp.zeros(3)
                for _ in range(5):
                    x = jnp.ones((8, 3))
                    seen += x.shape[0]
                    w = step(w, x)
            """,
            shows="seen == 8",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for effect in programs.effects["count"].values():
            yield Foreseen(
                (effect.path, effect.span),
                f"`{effect.what}` is incremented while JAX traces: once for each program, not at "
                "each call; count where the function is called, or return the new number",
                certain=not effect.maybe and not _OF_TRACES.search(effect.what),
            )
