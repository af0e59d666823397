"""An operand that a function of JAX does not take."""

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class OperandRefused(Rule):
    """Gives a function of JAX a list, or whole numbers where it takes floating ones alone.

    ## What happens
    `mean requires ndarray or scalar arguments, got <class 'list'>`, a `TypeError`: what NumPy
    converts, `jax.numpy` refuses, since each element would be a transfer of its own.
    `jnp.prod(x.shape)` is a tuple. The functions of `jax.lax` do not promote:
    `rsqrt does not accept dtype int32`.

    ## Instead
    `jnp.stack(losses).mean()` for arrays, `np.mean(values)` for numbers, `math.prod(x.shape)` for
    shapes. Of `lax`: `jax.lax.rsqrt(float(n))`, or `jnp.sqrt`, which promotes.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                losses = []
                for x in (1.0, 2.0):
                    losses.append(jnp.sum(jnp.full(3, x)))
                mean = jnp.mean(losses)  # ! operand-refused
            """,
            good="""
                import jax.numpy as jnp

                losses = []
                for x in (1.0, 2.0):
                    losses.append(jnp.sum(jnp.full(3, x)))
                mean = jnp.mean(jnp.stack(losses))
            """,
            raises="requires ndarray or scalar arguments",
        ),
        Example(
            bad="""
                import jax

                scale = jax.lax.rsqrt(12)  # ! operand-refused
            """,
            good="""
                import jax

                scale = jax.lax.rsqrt(12.0)
            """,
            raises="does not accept dtype int32",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("refused"):
            name, what = fault.text
            cure = {
                "list": "stack the arrays first, or use NumPy for numbers",
                "tuple": "use `math` or NumPy for a shape, `jnp.stack` for arrays",
                "whole number": "convert it to a floating number",
            }[what]
            yield Foreseen(
                (fault.path, fault.span),
                f"`{name}` raises a `TypeError` for a {what}: {cure}",
                fault.places,
                fault.certain,
            )
