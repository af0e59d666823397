from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class NormAtZero(Rule):
    """Differentiates a norm or a standard deviation that can be zero.

    ## What happens
    The gradient of `jnp.linalg.norm`, `optax.global_norm` and `jnp.std` at zero is NaN, and that of
    `sqrt(0)` is infinite. It hits zero-initialised heads, equal points, constant batches.

    ## Instead
    Add a small number inside of the root, `jnp.sqrt(jnp.sum(x**2) + 1e-12)`, or use
    `optax.safe_norm(x, 1e-6)`; for a penalty use the squared norm.

    ## Not reported
    Norms of gradients and other metrics that never reach the loss.
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(w, x):
                    return jnp.linalg.norm(w * x)  # ! norm-at-zero


                grads = jax.grad(loss)(jnp.zeros(3), jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(w, x):
                    return jnp.sqrt(jnp.sum((w * x) ** 2) + 1e-12)


                grads = jax.grad(loss)(jnp.zeros(3), jnp.ones(3))
            """,
            shows="bool(jnp.isnan(grads).any())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("norm"):
            (word,) = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"the gradient of {word} is NaN where it is zero: add a small number inside of the "
                "root",
                fault.places,
                fault.certain,
            )
