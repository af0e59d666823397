from collections.abc import Iterator

from gotcha_lint.interpret.faults.nnx_objects import OTHER_TRACE
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class NnxMutatedInOtherTrace(Rule):
    """Draws from `nnx.Rngs`, or changes an nnx object, that a traced function captured.

    ## What happens
    `TraceContextError: Cannot mutate RngCount from a different trace level`. Each draw counts, and
    an object can be changed only in the trace that it was made in, or was given to: by `jax.jit`,
    `nnx.jit`, `grad`, `vmap`, `scan`, `cond`, `checkpoint`, `eval_shape`, all alike. The same for
    `count.value += 1` of a captured `nnx.Variable`, for `model.scale = ...`, and for
    `optimizer.update(model, grads)` of a captured optimizer.

    So does `nnx.grad(loss)(model)` of a captured model, in the body of a `jax.lax.scan` say:
    `ValueError: Cannot extract graph node from different trace level`.

    ## Instead
    Pass the object to a function under `nnx.jit`, `nnx.grad`, `nnx.scan`. Or draw the key before
    (`key = rngs()`), and capture that.

    ## Not reported
    What models do when they are called: a captured model with Dropout or BatchNorm fails alike,
    unless it is in evaluation. Functions of other files that are given the object.

    ## In a run
    Flax's own message says it; the sanitizer adds the place where the object was made.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import nnx

                rngs = nnx.Rngs(0)


                @nnx.jit
                def noisy(x):
                    key = rngs.noise()  # ! nnx-mutated-in-other-trace
                    return x + jax.random.normal(key, x.shape)


                y = noisy(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from flax import nnx

                rngs = nnx.Rngs(0)


                @nnx.jit
                def noisy(x, rngs):
                    key = rngs.noise()
                    return x + jax.random.normal(key, x.shape)


                y = noisy(jnp.ones(3), rngs)
            """,
            raises="from a different trace level",
        ),
        Example(
            bad="""
                import jax.numpy as jnp
                from flax import nnx

                calls = nnx.Variable(jnp.zeros(()))


                @nnx.jit
                def double(x):
                    calls[...] += 1  # ! nnx-mutated-in-other-trace
                    return 2 * x


                y = double(jnp.ones(3))
            """,
            good="""
                import jax.numpy as jnp
                from flax import nnx

                calls = nnx.Variable(jnp.zeros(()))


                @nnx.jit
                def double(x, calls):
                    calls[...] += 1
                    return 2 * x


                y = double(jnp.ones(3), calls)
            """,
            raises="from a different trace level",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(OTHER_TRACE):
            how, function, *span = fault.text
            first, column, last, end = map(int, span)
            yield Foreseen(
                (fault.path, fault.span),
                f"this {how} `{{}}`, which was neither made in the trace of `{function}` nor given "
                "to it: Flax raises; pass it as an argument of the nnx transform",
                fault.places,
                fault.certain,
                quotes=((fault.path, (first, column, last, end)),),
            )
