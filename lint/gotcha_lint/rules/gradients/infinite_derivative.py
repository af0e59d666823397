"""A root, logarithm or quotient whose operand is clamped or masked to exactly zero."""

from collections.abc import Iterator

from gotcha_lint.facts.slopes import INFINITE_SLOPES
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class InfiniteDerivative(Rule):
    """Differentiates a root, a logarithm or a quotient where its operand is exactly zero.

    ## What happens
    After `relu`, `maximum(x, 0)` or a mask, an operand is exactly zero for many inputs. The
    derivative of `sqrt` and `log` is infinite there. The gradient that reaches them from the loss
    is zero, and infinity times zero is NaN: one such element makes all gradients NaN. A `where`
    after the root does not help.

    ## Instead
    Keep the operand away from zero: `jnp.sqrt(jnp.maximum(x, 1e-12))`, `jnp.log(p + 1e-9)`, or
    `safe = jnp.where(x > 0, x, 1.0)` before the root and `where` after it.
    `jax.scipy.special.xlogy(p, p)` is the `p * log(p)` of an entropy, with a gradient.

    ## Not reported
    Operands that the code does not show to be zero for a range of inputs.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(w, x):
                    return jnp.sum(jnp.sqrt(jnp.maximum(w * x, 0.0)))  # ! infinite-derivative


                grads = jax.grad(loss)(jnp.ones(2), jnp.array([-1.0, 1.0]))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(w, x):
                    return jnp.sum(jnp.sqrt(jnp.maximum(w * x, 1e-12)))


                grads = jax.grad(loss)(jnp.ones(2), jnp.array([-1.0, 1.0]))
            """,
            shows="bool(jnp.isnan(grads).any())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("pole"):
            (word,) = fault.text
            points = INFINITE_SLOPES.get(word.strip("`"), (0,))
            exact = "zero" if points == (0,) else " or ".join(map(str, points))
            near = " and ".join(map(str, points))
            yield Foreseen(
                (fault.path, fault.span),
                f"the operand of {word} is exactly {exact} for a range of inputs, where its "
                "derivative is infinite: the gradient is NaN there; "
                f"keep the operand away from {near}",
                fault.places,
                fault.certain,
            )
