from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import called
from gotcha_lint.solve import loop_work
from gotcha_lint.solve.programs import Programs

_TURNS, _EQUATIONS = 32, 64  # from here on a loop costs more to compile than to run
_ALIKE, _LARGE = 4, 500  # turns of a large body that are all the same


class UnrolledLoop(Rule):
    """Runs a long Python loop while JAX traces: each iteration becomes part of the program.

    ## What happens
    A Python loop in a traced function is no loop of the program: its equations are written out once
    for each iteration. Time to trace and to compile grows with the number of iterations: 4
    equations an iteration took 0.5 s for 64 iterations, 2.8 s for 256 and 8 s for 1,024 (measured
    on CPU); `lax.fori_loop` of the same body took 0.1 s for each.

    ## Instead
    `jax.lax.scan` or `jax.lax.fori_loop` where the iterations are alike; for layers of a network,
    stack their parameters and scan over them.

    ## Not reported
    Short loops: less than 32 iterations, or 64 equations in all. Four iterations are enough where
    all do the same and make 500 equations together, as several updates in one call. A loop over an
    axis of unknown length is a note where it carries a state from one iteration to the next, as
    over the steps of a sequence. Other loops whose number of iterations follows from a
    configuration or from what is traced are shown with `--all`.
    """

    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def relax(x):
                    for _ in range(200):  # ! unrolled-loop
                        x = jnp.tanh(x) * 0.5 + jnp.sin(x)
                    return x


                size = len(jax.make_jaxpr(relax)(jnp.ones(3)).eqns)
                y = jax.jit(relax)(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def turn(_, x):
                    return jnp.tanh(x) * 0.5 + jnp.sin(x)


                def relax(x):
                    return jax.lax.fori_loop(0, 200, turn, x)


                size = len(jax.make_jaxpr(relax)(jnp.ones(3)).eqns)
                y = jax.jit(relax)(jnp.ones(3))
            """,
            shows="size > 500",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for loop in programs.unrolled:
            found = _foreseen(loop)
            if found is not None:
                yield found


def _foreseen(loop: loop_work.UnrolledLoop) -> Foreseen | None:
    """Of a known number of iterations, only where it is long."""
    line, column = loop.span[:2]
    header = loop.path, (line, column, line, column)
    cost = f"{loop.equations} equations" if loop.equations > 1 else "one equation"
    if loop.turns is None and loop.steps:
        return Foreseen(
            header,
            f"this loop of {called(loop.within)} runs while JAX traces it, once for each element "
            f"of an axis, and carries a state: each iteration adds about {cost} to the program; "
            "`lax.scan` traces and compiles one",
            severity="info",
        )
    if loop.turns is None:
        return Foreseen(
            header,
            f"this loop of {called(loop.within)} runs while JAX traces it: each iteration adds "
            f"about {cost} to the program, and their number grows with the input or the "
            "configuration; use `lax.scan` or `lax.fori_loop`",
            certain=False,
        )
    total = loop.turns * loop.equations
    large = loop.alike and loop.turns >= _ALIKE and total >= _LARGE
    if not large and (loop.turns < _TURNS or total < _EQUATIONS):
        return None
    return Foreseen(
        header,
        f"this loop of {called(loop.within)} runs {loop.turns:,} times while JAX traces it: about "
        f"{total:,} equations are traced and compiled; use `lax.scan` or `lax.fori_loop`",
    )
