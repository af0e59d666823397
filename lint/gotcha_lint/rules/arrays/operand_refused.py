"""An operand that a function of JAX does not take."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.operand_shapes import SHAPES
from gotcha_lint.interpret.models.mapped_trees import VMAP
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class OperandRefused(Rule):
    """Gives a function of JAX a list, whole numbers where it takes floating ones, or other axes.

    ## What happens
    `mean requires ndarray or scalar arguments, got <class 'list'>`, a `TypeError`: what NumPy
    converts, `jax.numpy` refuses, since each element would be a transfer of its own.
    `jnp.prod(x.shape)` is a tuple. The functions of `jax.lax` do not promote:
    `rsqrt does not accept dtype int32`. What `vmap` maps over has one size:
    `vmap got inconsistent sizes for array axes to be mapped`, and `in_axes` has one entry for each
    positional argument: a tuple that is one argument needs a tuple of its own, `in_axes=((0, 0),)`.

    ## Instead
    `jnp.stack(losses).mean()` for arrays, `np.mean(values)` for numbers, `math.prod(x.shape)` for
    shapes. Of `lax`: `jax.lax.rsqrt(float(n))`, or `jnp.sqrt`, which promotes. Keys for a `vmap`:
    `jax.random.split(key, x.shape[0])`; `split(key)` gives two.
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
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def noisy(key, x):
                    return x + jax.random.normal(key, x.shape)


                x = jnp.zeros((8, 2))
                keys = jax.random.split(jax.random.key(0))
                y = jax.vmap(noisy)(keys, x)  # ! operand-refused
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def noisy(key, x):
                    return x + jax.random.normal(key, x.shape)


                x = jnp.zeros((8, 2))
                keys = jax.random.split(jax.random.key(0), x.shape[0])
                y = jax.vmap(noisy)(keys, x)
            """,
            raises="inconsistent sizes for array axes",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(SHAPES):
            if not fault.certain:  # of one of several layers, say, which is given something else
                continue
            one, other = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"shapes {one} and {other} do not fit: JAX raises an error here",
                fault.places,
            )
        for fault in programs.faults.of("refused"):
            name, what = fault.text
            if name == VMAP:
                yield Foreseen(
                    (fault.path, fault.span),
                    f"`vmap` raises a `ValueError`: {what}",
                    fault.places,
                    fault.certain,
                )
                continue
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
