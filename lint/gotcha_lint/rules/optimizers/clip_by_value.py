"""The largest norm of a gradient, as the bound of each element."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import CLIPPED_NORM
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class ClipByValue(Rule):
    """Gives the largest norm of a gradient to `optax.clip`, which bounds each element.

    ## What happens
    No error. `optax.clip(0.5)` cuts each element to the range from -0.5 to 0.5. A gradient of a
    million elements may have the norm 500 after that, so a spike goes through; and where it
    cuts, it turns the gradient to another direction. What is published for `max_grad_norm` does
    not hold for it.

    ## Instead
    `optax.clip_by_global_norm(max_grad_norm)`; or call the option what it is, `max_grad_value`.

    ## Not reported
    Bounds that are not called a norm.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import optax

                max_grad_norm = 1.0
                tx = optax.chain(
                    optax.clip(max_grad_norm),  # ! clip-by-value
                    optax.sgd(1.0),
                )
                params = jnp.zeros(100)
                updates, _ = tx.update(jnp.full(100, 3.0), tx.init(params), params)
            """,
            good="""
                import jax.numpy as jnp
                import optax

                max_grad_norm = 1.0
                tx = optax.chain(
                    optax.clip_by_global_norm(max_grad_norm),
                    optax.sgd(1.0),
                )
                params = jnp.zeros(100)
                updates, _ = tx.update(jnp.full(100, 3.0), tx.init(params), params)
            """,
            shows="optax.tree.norm(updates) > 9",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(CLIPPED_NORM):
            yield Foreseen(
                (fault.path, fault.span),
                f"`optax.clip` bounds each element, and `{fault.text[0]}` is a norm: use "
                "`optax.clip_by_global_norm`",
                fault.places,
                fault.certain,
            )
