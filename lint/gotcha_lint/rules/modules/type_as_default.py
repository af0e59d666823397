"""A type stands where a default was given, and was meant to annotate."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.defined import TYPE_DEFAULT
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class TypeAsDefault(Rule):
    """Gives a parameter, or a field of a module, a type as its default: `def f(sizes=List[int])`.

    ## What happens
    Nothing, as long as all callers give the argument. Where one leaves it out, the type itself goes
    on: `ValueError: not enough values to unpack (expected 2, got 1)`, far from the mistake.
    Without the default, Python would say that an argument is missing. In a class of Flax,
    `depths = List[int]` makes no field: the constructor does not know `depths`.

    ## Instead
    `def f(sizes: List[int])`, with a colon.

    ## Not reported
    Parameters with an annotation besides, and those that are named for a type (`cls`, `dtype`,
    `return_type`); plain `int` and `float`, which may convert something.

    ## In a run
    Nothing.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                from collections.abc import Sequence

                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Patches(nn.Module):
                    @nn.compact
                    def __call__(self, x, size=Sequence[int]):  # ! type-as-default
                        height, width = size
                        return nn.Dense(4)(x.reshape(height, width, -1))


                variables = Patches().init(jax.random.key(0), jnp.ones((16, 3)))
            """,
            good="""
                from collections.abc import Sequence

                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Patches(nn.Module):
                    @nn.compact
                    def __call__(self, x, size: Sequence[int]):
                        height, width = size
                        return nn.Dense(4)(x.reshape(height, width, -1))


                variables = Patches().init(jax.random.key(0), jnp.ones((16, 3)), (4, 4))
            """,
            raises="not enough values to unpack",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(TYPE_DEFAULT):
            kind, name, owner = fault.text
            if kind == "field":
                message = (
                    f"`{name}` of `{owner}` is bound to a type, so it is no field: an annotation "
                    f"was meant, `{name}: ...`"
                )
            else:
                message = (
                    f"the default of `{name}` is a type: a call of `{owner}` without `{name}` goes "
                    f"on with the type itself; an annotation was meant, `{name}: ...`"
                )
            yield Foreseen((fault.path, fault.span), message)
