from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class WhereNanGradient(Rule):
    """Guards a root, logarithm or division by `where` outside of it, in a differentiated function.

    ## What happens
    The value is right, the gradient is NaN at exactly the guarded points, and one such point makes
    all gradients NaN. `where` sends a zero back into the branch that was not taken, and there the
    derivative is infinite: 0 * inf is NaN. It is no better where the data hold the zeros:
    `where(t > 0, shape * jnp.log(t), 0)` has the slope `log(0)` for the factor `shape`.

    ## Instead
    Guard the input too, so that the function never sees the bad point:
    `jnp.sqrt(jnp.where(x > 0, x, 1.0))` inside of the outer `where`.

    ## Not reported
    Code that no gradient runs through, values that only reach the auxiliary output, and inputs that
    are limited already. Functions that others may differentiate are shown with `--all`.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(x):
                    return jnp.sum(jnp.where(x > 0, jnp.sqrt(x), 0.0))  # ! where-nan-gradient


                grads = jax.grad(loss)(jnp.array([0.0, 1.0]))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(x):
                    safe = jnp.where(x > 0, x, 1.0)
                    return jnp.sum(jnp.where(x > 0, jnp.sqrt(safe), 0.0))


                grads = jax.grad(loss)(jnp.array([0.0, 1.0]))
            """,
            shows="bool(jnp.isnan(grads).any())",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(w, x):
                    total = jnp.sum(w * x)
                    return jnp.where(total != 0, w[0] / total, 0.0)  # ! where-nan-gradient


                grads = jax.grad(loss)(jnp.ones(2), jnp.zeros(2))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(w, x):
                    total = jnp.sum(w * x)
                    safe = jnp.where(total != 0, total, 1.0)
                    return jnp.where(total != 0, w[0] / safe, 0.0)


                grads = jax.grad(loss)(jnp.ones(2), jnp.zeros(2))
            """,
            shows="bool(jnp.isnan(grads).any())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("guarded pole"):
            (word,) = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"{word} is computed for all elements, and `where` only hides results: the "
                "gradient of the hidden ones is NaN; replace their inputs as well",
                fault.places,
                fault.certain,
            )
