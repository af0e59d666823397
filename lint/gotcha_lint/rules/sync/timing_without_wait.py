"""A clock around a compiled call, and nothing that waits for its result."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gotcha_lint.domain.sites import Origin
from gotcha_lint.interpret.events import CompiledCall
from gotcha_lint.program.result_uses import uses_of_results
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import called
from gotcha_lint.solve.programs import Programs
from gotcha_lint.solve.timing import Elapsed


class TimingWithoutWait(Rule):
    """Stops the clock before the result of a compiled call exists, or starts it too early.

    ## What happens
    A compiled call returns as soon as the work is queued, so the difference of the clocks is the
    time to queue it: 403 to 720 times too short in the measured programs. The first call also
    contains the compilation.

    ## Instead
    `jax.block_until_ready(result)` before the clock is read again; call once before to warm up, and
    wait for that, too.

    ## Not reported
    Regions that read the result: `float(loss)`, `np.asarray(...)`, `print(loss)` all wait, and so
    does `jax.tree.map(np.asarray, losses)`. Clocks that run from one iteration to the next, where
    the result of the iteration before is given to a function. A time that is never read, or that is
    called `compile_time`: what is compiled is compiled when the call returns. With `--all`, as
    `info`: where something waits for an earlier call alone, or under a condition.

    ## The price
    A wrong time.
    """

    severity = "warning"
    meant = re.compile("compil(?!ed|er)|warm_?up", re.IGNORECASE)
    examples = (
        Example(
            bad="""
                import time

                import jax
                import jax.numpy as jnp

                matmul = jax.jit(lambda x: x @ x)


                def measure():
                    x = jnp.ones((64, 64))
                    start = time.perf_counter()
                    y = matmul(x)
                    seconds = time.perf_counter() - start  # ! timing-without-wait
                    return y, seconds
            """,
            good="""
                import time

                import jax
                import jax.numpy as jnp

                matmul = jax.jit(lambda x: x @ x)


                def measure():
                    x = jnp.ones((64, 64))
                    start = time.perf_counter()
                    y = jax.block_until_ready(matmul(x))
                    seconds = time.perf_counter() - start
                    return y, seconds
            """,
            unseen="how much too short the time is depends on the machine",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for time in programs.times.values():
            call, effect = time.call, time.effect
            uses = uses_of_results(effect.within, effect.span, effect.span)
            if uses is not None and uses.is_never_read(0):
                continue
            if time.waits and time.earlier is not None:
                yield _warm_up(time, time.earlier)
                continue
            what = called(call.function) if isinstance(call, CompiledCall) else f"`{call.what}`"
            why = "not always is it waited for" if time.partly else "nothing waits for its result"
            yield Foreseen(
                time.place,
                f"the clock stops while {what} may still be computing: "
                f"{why} before; call `jax.block_until_ready` on it",
                (
                    *(((*time.earlier, "not waited for, either"),) if time.earlier else ()),
                    (*time.start, "the clock is read here"),
                    (call.path, call.span, "queued here"),
                    (*time.stop, "and here"),
                ),
                certain=not time.partly,
            )


def _warm_up(time: Elapsed, earlier: Origin) -> Foreseen:
    """What was to be done before is measured, too."""
    call = time.call
    what = called(call.function) if isinstance(call, CompiledCall) else f"`{call.what}`"
    return Foreseen(
        time.start,
        f"the clock starts while {what} may still be computing what was queued before: that time "
        "counts, too; call `jax.block_until_ready` on its result first",
        ((*earlier, "queued here"), (*time.stop, "the clock is read again here")),
    )
