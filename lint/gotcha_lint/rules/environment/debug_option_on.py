"""A program is run with an option of JAX that is made for the search of an error."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_benchmark, is_test
from gotcha_lint.patterns.debug_options import options_left_on
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs

_COSTS = {
    "jax_debug_nans": "each compiled call waits for its results and looks through them for a NaN",
    "jax_debug_infs": "each compiled call waits for its results and looks through them for an inf",
    "jax_disable_jit": "nothing is compiled, and each operation runs by itself",
}


class DebugOptionOn(Rule):
    """Switches `jax_debug_nans` or `jax_disable_jit` on for each run.

    ## What happens
    With `jax_debug_nans` or `jax_debug_infs` each compiled call waits until its results are there,
    reads them, and raises where it finds one: the host no longer works ahead of the device, and a
    NaN ends the run before any code that skips or rolls back a bad step. With `jax_disable_jit`
    nothing is compiled.

    ## Instead
    Let an option of the program switch it on, or the environment: `JAX_DEBUG_NANS=True python
    train.py`. To skip bad steps, test `jnp.isfinite` in the step, or use `optax.apply_if_finite`.

    ## Not reported
    Calls under a condition; options that the file switches off again; tests and benchmarks.

    ## In a run
    Nothing.

    ## References
    https://docs.jax.dev/en/latest/debugging/flags.html
    """

    severity = "info"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                jax.config.update("jax_debug_nans", True)  # ! debug-option-on


                @jax.jit
                def loss(x):
                    return jnp.log(x)


                try:
                    kept = bool(jnp.isfinite(loss(jnp.float32(-1))))
                except FloatingPointError:
                    kept = None
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def loss(x):
                    return jnp.log(x)


                try:
                    kept = bool(jnp.isfinite(loss(jnp.float32(-1))))
                except FloatingPointError:
                    kept = None
            """,
            shows="kept is None",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            path = text.module.path
            if is_test(path) or is_benchmark(path):
                continue
            found = options_left_on(text.origins.links, text.module, frozenset(_COSTS))
            for function, span, option in found:
                yield Foreseen(
                    (function.path, span),
                    f"`{option}` is on in each run: {_COSTS[option]}; leave it to "
                    f"`{option.upper()}=True` in the environment",
                )
