"""A clock around a compiled call, and nothing that waits for its result."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.analysis.sites import Bind, Body, Call, Operate, Place
from gotcha_lint.analysis.syntax import holds, source_of
from gotcha_lint.queries.clocks import (
    between,
    compiles_anew,
    is_shown,
    may_wait,
    region,
    results,
    touches_device,
    turns,
)
from gotcha_lint.queries.reads import clock_names, compiled_calls, reads
from gotcha_lint.rule import Example, Report, Rule


class TimingWithoutWait(Rule):
    """Stops the clock before the result of a compiled call exists.

    ## What happens
    A compiled call returns as soon as the work is queued, so the difference of the clocks is the
    time to queue it: 403 to 720 times too short in the measured programs. The first call also
    contains the compilation.

    ## Instead
    `jax.block_until_ready(result)` before the clock is read again; call once before to warm up.

    ## Not reported
    Regions that read the result: `float(loss)`, `np.asarray(...)`, `print(loss)` all wait, and so
    does `jax.tree.map(np.asarray, losses)`. Clocks that run from turn to turn, where the result of
    the turn before is given to a function. A time that is never read, or that is called
    `compile_time`: what is compiled is compiled when the call returns.

    ## The price
    A wrong time.
    """

    severity = "warning"
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

    def check(self, site: Body) -> Iterator[Report]:
        if not site.eager:
            return
        clocks = clock_names(site)
        if not clocks:
            return
        for place in site.of(Operate):
            start, stop = region(site, place, clocks)
            call = (
                _unwaited(site, start, stop, place)
                if start is not None and stop is not None and is_shown(site, place)
                else None
            )
            if call is not None:
                yield Report(
                    place.node,
                    f"the clock stops while `{source_of(call.node.func)}` may still be computing: "
                    "nothing waits for its result before; call `jax.block_until_ready` on it",
                    places=((call.node, "queued here"),),
                )


def _unwaited(body: Body, start: Bind, stop: Place, difference: Operate) -> Call | None:
    """A compiled call between the two, where nothing after it waits."""
    calls = [
        call
        for call in compiled_calls(body)
        if between(start, call, stop) and not _inside_read(body, call)
    ]
    if not calls:
        return None
    for read, _ in reads(body):
        if holds(read.node, difference.node) or not touches_device(read):
            continue  # it shows the time, or what the host knows
        if read.at.order > start.at.order and (
            read.at.order <= stop.at.order or turns(read, start, stop)
        ):
            return None
    names = results(body, calls)
    inside = [call for call in body.of(Call) if between(start, call, stop)]
    if compiles_anew(calls[-1], inside):
        return None
    again = [call for call in body.of(Call) if turns(call, start, stop)]
    if any(may_wait(body, call, calls[-1], names) for call in (*inside, *again)):
        return None
    return calls[-1]


def _inside_read(body: Body, call: Call) -> bool:
    return any(
        read.at.statement is call.at.statement and read is not call for read, _ in reads(body)
    )
