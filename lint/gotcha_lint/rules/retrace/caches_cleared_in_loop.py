"""Compiled programs are thrown away in each step."""

from collections.abc import Iterator

from gotcha_lint.interpret.effects import CLEARED
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import each_turn, loop_places
from gotcha_lint.solve.programs import Programs


class CachesClearedInLoop(Rule):
    """Throws away all compiled programs in a loop that calls one of them.

    ## What happens
    No error. `jax.clear_caches()` forgets every trace and every compiled program of the process, so
    the next step is traced and compiled again, and so is each operation outside of `jit`. It is
    mostly there against a memory that grows: the memory of arrays comes back without it, as soon as
    nothing holds them; what grows is the number of programs.

    ## Instead
    Take the call out. Where memory grows, find out why the step has so many programs: a shape that
    varies with the batch (pad it to a few lengths), a function that is made again in each turn.

    ## Not reported
    Calls under a condition that differs from step to step, as `step % 1000 == 0`; loops of a few
    iterations, or in which nothing compiled is called, such as one over settings of a benchmark.

    ## In a run
    `recompile`, with the cause `cache-cleared`.

    ## References
    https://docs.jax.dev/en/latest/_autosummary/jax.clear_caches.html
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(w):
                    return w * 0.99


                w = jnp.ones(3)
                for _ in range(20):
                    w = step(w)
                    jax.clear_caches()  # ! caches-cleared-in-loop
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(w):
                    return w * 0.99


                w = jnp.ones(3)
                for _ in range(20):
                    w = step(w)
            """,
            compiles=15,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for (what, place), work in programs.updates.items():
            if what == CLEARED:
                each = each_turn(work.loops, place[0])
                yield Foreseen(
                    place,
                    f"this throws compiled programs away at each {each}: what the loop calls is "
                    "traced and compiled again",
                    (*work.places, *loop_places(work.loops)),
                    certain=work.certain,
                )
