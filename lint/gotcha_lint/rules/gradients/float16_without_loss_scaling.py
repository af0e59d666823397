"""Gradients in float16, which are not scaled."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import UNSCALED
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class Float16WithoutLossScaling(Rule):
    """Trains a model in float16 without a scale for the loss.

    ## What happens
    No error. The smallest normal number of float16 is 6e-5, and less than 3e-8 is zero. The
    gradient of a mean over a batch is smaller than that in many places, and those parameters do not
    train.

    ## Instead
    `jnp.bfloat16`, which has the range of float32 and needs no scale. Or
    `flax.training.dynamic_scale.DynamicScale`, which multiplies the loss, divides the gradients,
    and skips steps that overflow.

    ## Not reported
    Files that take no gradient, themselves or in what they import; those with any word of scaling.

    ## In a run
    Nothing: zeros are finite.
    """

    severity = "info"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                dtype = jnp.float16  # ! float16-without-loss-scaling
                x = jnp.full(10_000, 1e-4, dtype)


                def loss(w):
                    return jnp.mean(w.astype(dtype) * x)


                gradient = jax.grad(loss)(jnp.ones(10_000))
            """,
            good="""
                import jax
                import jax.numpy as jnp

                dtype = jnp.bfloat16
                x = jnp.full(10_000, 1e-4, dtype)


                def loss(w):
                    return jnp.mean(w.astype(dtype) * x)


                gradient = jax.grad(loss)(jnp.ones(10_000))
            """,
            shows="not gradient.any()",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(UNSCALED):
            yield Foreseen(
                (fault.path, fault.span),
                "small gradients are zero in float16, and nothing here scales the loss: use "
                "bfloat16, or `flax.training.dynamic_scale.DynamicScale`",
                fault.places,
                fault.certain,
            )
