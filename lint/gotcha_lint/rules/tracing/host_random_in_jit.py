"""numpy's randomness, or a clock, in a traced function."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.faults.frozen import FROZEN
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import place_in
from gotcha_lint.solve.programs import Programs

_WORDS = {"random": "draws once, while tracing", "time": "reads the clock once, while tracing"}


class HostRandomInJit(Rule):
    """Draws from numpy's or Python's random numbers, or reads a clock, in a traced function.

    ## What happens
    The call runs while the function is traced, and its answer becomes a constant of the program:
    every later call has the same noise and the same time. Nothing fails.

    ## Instead
    `jax.random` with a key as an argument. Measure time outside, after `jax.block_until_ready`.

    ## Not reported
    Functions given to `jax.pure_callback`, `jax.debug.callback` or `io_callback`: they run on the
    host at each call. A time that only functions with `nonlocal` read, which set it again. Keys
    for dropout alone, where a model is applied without training.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def jitter(x):
                    return x + np.random.normal()  # ! host-random-in-jit


                moved = [jitter(jnp.zeros(())) for _ in range(2)]
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def jitter(x, key):
                    return x + jax.random.normal(key)


                keys = jax.random.split(jax.random.key(0))
                moved = [jitter(jnp.zeros(()), keys[n]) for n in range(2)]
            """,
            shows="bool(moved[0] == moved[1])",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(FROZEN):
            what = _WORDS[fault.text[0]]
            yield Foreseen(
                (fault.path, fault.span),
                f"`{{}}` {what}: the result is a constant of the compiled program",
                fault.places,
                fault.certain,
                quotes=(place_in(fault),),
            )
