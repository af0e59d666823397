"""A loop outside of jit that starts its operations one by one."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import called
from gotcha_lint.solve.host_bound import HostBoundLoop as Loop
from gotcha_lint.solve.programs import Programs


class HostBoundLoop(Rule):
    """Runs the operations of a loop one by one, outside of jit: the device waits for the host.

    ## What happens
    Each operation outside of jit is found, checked and started by Python, which takes 10 to 100
    times as long as a small operation itself. Nothing compiles any more, and no line is slow by
    itself. On a CPU, `model.apply` of three layers of 256 takes 6.0 ms for 256 rows, and 0.7 ms
    under `jit`; that of two transformer blocks of width 64 takes 34 ms, and 1.0 ms under `jit`.

    A layer costs Python more than its operations do: for one row, three of `nn.Dense` in `apply`
    took 5.8 ms, and 0.02 ms under `jit`; three of `nnx.Linear` 0.9 ms; an addition 7 us.

    ## Instead
    Put `jax.jit` around the body of the loop, or the loop into it (`lax.scan`).

    ## Not reported
    Loops with less than 2,000 operations in all; with less than 24 in an iteration where the number
    of iterations is not known; with less than 64 where the loop calls compiled functions too,
    unless a model starts most of them. Loops over a loader count as long; a branch counts where a
    random number decides. Operations are counted as far as the linter sees them, and only those
    that each iteration starts: a layer of a library is four. With `--all` only: loops of functions
    that a caller may trace; a model that a function runs at each call, where the host reads its
    result.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                w, x = jnp.ones((16, 16)), jnp.ones((8, 16))
                for step in range(6000):  # ! host-bound-loop
                    error = jnp.tanh(x @ w) - 1.0
                    w = w - 0.01 * (x.T @ error)
            """,
            good="""
                import jax
                import jax.numpy as jnp

                w, x = jnp.ones((16, 16)), jnp.ones((8, 16))


                @jax.jit
                def update(w):
                    error = jnp.tanh(x @ w) - 1.0
                    return w - 0.01 * (x.T @ error)


                for step in range(6000):
                    w = update(w)
            """,
            unseen="starting the operations costs time, and how much depends on the machine",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        return map(_foreseen, programs.host_bound)


def _foreseen(loop: Loop) -> Foreseen:
    if loop.is_call:
        return Foreseen(
            (loop.path, loop.span),
            f"whenever {called(loop.within)} is called, this starts about {loop.dispatches} "
            "operations, one by one outside of `jit`: `jit` what it calls",
            certain=False,
        )
    line, column = loop.span[:2]
    times = "" if loop.turns is None else f" {loop.turns:,} times"
    here = "most of them start here" if len(loop.mostly) == 1 else "many of them start here"
    return Foreseen(
        (loop.path, (line, column, line, column)),
        f"this loop starts about {loop.dispatches} operations{times}, one by one outside of `jit`: "
        "the device waits for Python; `jit` the body of the loop, or move the loop into `lax.scan`",
        (
            *((loop.path, span, here) for span in loop.mostly),
            *(((*loop.deepest, "which calls this"),) if loop.deepest is not None else ()),
            *((*at, "called here") for at in loop.calls),
        ),
        certain=loop.certain,
    )
