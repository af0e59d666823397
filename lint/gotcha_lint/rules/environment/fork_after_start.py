"""The process forks after JAX has started its threads."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.start.backend import FORK, WORKERS
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class ForkAfterStart(Rule):
    """Forks the process after JAX has computed something in it.

    ## What happens
    JAX has threads, and a fork copies none of them: a lock that a thread held stays locked in the
    child. Such a child may hang for ever, at its first use of JAX or earlier, and JAX warns
    "os.fork() was called. os.fork() is incompatible with multithreaded code, and JAX is
    multithreaded, so this will likely lead to a deadlock". Until Python 3.14, `fork` is the start
    method of Linux where nothing else is chosen.

    ## Instead
    Take the context "spawn" or "forkserver", or start the processes before the first computation.

    ## Not reported
    Programs that choose another start method. Workers of a `DataLoader` are a note, wherever a
    loop or `iter` begins to read it: those that use NumPy alone seldom hang. Threads. Processes
    that are started before JAX computes, in the order of the program, across calls and imports.
    """

    severity = "warning"
    confirmed_by = (("fork-after-start", ""),)
    examples = (
        Example(
            bad="""
                import multiprocessing

                import jax
                import jax.numpy as jnp


                @jax.jit
                def fit(w, x):
                    return w + 0.1 * jnp.mean(x)


                def square(n):
                    return n * n


                def main():
                    w = fit(jnp.zeros(3), jnp.ones(3))
                    with multiprocessing.get_context("fork").Pool(2) as pool:  # ! fork-after-start
                        return w, pool.map(square, range(4))
            """,
            good="""
                import multiprocessing

                import jax
                import jax.numpy as jnp


                @jax.jit
                def fit(w, x):
                    return w + 0.1 * jnp.mean(x)


                def square(n):
                    return n * n


                def main():
                    w = fit(jnp.zeros(3), jnp.ones(3))
                    with multiprocessing.get_context("spawn").Pool(2) as pool:
                        return w, pool.map(square, range(4))
            """,
            unseen="whether a child hangs depends on what the threads do at that moment",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for effect in (*programs.effects[FORK].values(), *programs.effects[WORKERS].values()):
            started = ((*place, "JAX starts here") for place in effect.origins)
            yield Foreseen(
                (effect.path, effect.span),
                f"`{effect.what}` forks the process, and JAX has threads in it by now: a child may "
                'hang; take the context "spawn" or "forkserver"',
                tuple(started),
                certain=not effect.maybe,
                severity="info" if effect.kind == WORKERS else None,
            )
