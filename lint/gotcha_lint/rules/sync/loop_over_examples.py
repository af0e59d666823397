"""Loops that call a jitted function for each row of an array, and join what it returns."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.faults.rows import ROW_BY_ROW
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class LoopOverExamples(Rule):
    """Calls a jitted function for each row of an array, and stacks the results.

    ## What happens
    No error. Each row is cut out and handed to the function by itself, and the stack compiles a
    program with as many inputs as there are rows. A thousand rows of 16 numbers through a small
    layer took 9.7 ms; `jax.vmap` under `jax.jit` 0.02 ms. Where one row alone keeps the device
    busy, as with 256 by 256 matrices on two cores, both took the same time.

    ## Instead
    `jax.jit(jax.vmap(f))(xs)`, with `in_axes=(None, 0)` for what is the same for all. Where all at
    once do not fit into memory: `jax.lax.map(f, xs, batch_size=64)`.

    ## Not reported
    Loops that hand something from one iteration to the next, leave early or skip iterations; loops
    over what is not known to be an array, as a loader or a list; rows called batches, chunks or
    folds, or cut by `split` or `reshape`; functions that are mapped already, here or elsewhere in
    the file; modules of nnx, which a call may change; up to eight rows that are written out; tests
    and benchmarks.

    ## In a run
    The sanitizer says nothing: each call by itself is right.

    ## References
    https://docs.jax.dev/en/latest/automatic-vectorization.html
    """

    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def predict(w, x):
                    return jnp.tanh(w @ x)


                w, images = jnp.ones((8, 16)) / 16, jnp.ones((100, 16))
                outputs = jnp.stack([predict(w, x) for x in images])  # ! loop-over-examples
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def predict(w, x):
                    return jnp.tanh(w @ x)


                w, images = jnp.ones((8, 16)) / 16, jnp.ones((100, 16))
                outputs = jax.jit(jax.vmap(predict, in_axes=(None, 0)))(w, images)
            """,
            compiles=2,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(ROW_BY_ROW):
            joined, callee, rows, *_ = fault.places
            yield Foreseen(
                (fault.path, fault.span),
                "`{}` is called for each row of `{}`: `jax.vmap` of it takes all rows in one call",
                (joined,),
                quotes=(callee[:2], rows[:2]),
            )
