from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import at_call, called, variations
from gotcha_lint.solve.programs import Programs


class UnhashableStaticArgument(Rule):
    """Passes a list, dict, set or array as a static argument, or an object that cannot be hashed.

    ## What happens
    `ValueError: Non-hashable static arguments are not supported. An error occurred while trying to
    hash an object of type <class 'list'>`. Static arguments are looked up by hash and equality. A
    dataclass that is not frozen has no hash, nor has a class with `__eq__` and without `__hash__`.

    ## Instead
    A tuple or a frozen dataclass of plain values; arrays are ordinary arguments.

    ## Not reported
    Objects whose class stands in another file, or derives from one that is not known.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                @partial(jax.jit, static_argnums=1)
                def reshape(x, shape):
                    return x.reshape(shape)


                reshape(jnp.ones(6), [2, 3])  # ! unhashable-static-argument
            """,
            good="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                @partial(jax.jit, static_argnums=1)
                def reshape(x, shape):
                    return x.reshape(shape)


                reshape(jnp.ones(6), (2, 3))
            """,
            raises="Non-hashable static arguments",
        ),
        Example(
            bad="""
                from dataclasses import dataclass
                from functools import partial

                import jax
                import jax.numpy as jnp


                @dataclass
                class Config:
                    depth: int = 2


                @partial(jax.jit, static_argnames="config")
                def apply(x, config):
                    return x * config.depth


                apply(jnp.ones(6), Config())  # ! unhashable-static-argument
            """,
            good="""
                from dataclasses import dataclass
                from functools import partial

                import jax
                import jax.numpy as jnp


                @dataclass(frozen=True)
                class Config:
                    depth: int = 2


                @partial(jax.jit, static_argnames="config")
                def apply(x, config):
                    return x * config.depth


                apply(jnp.ones(6), Config())
            """,
            raises="Non-hashable static arguments",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for row, variation in variations(programs, "unhashable"):
            yield at_call(
                variation,
                f"the static argument `{variation.label}` of {called(row.function)} cannot be "
                "hashed: this call raises; pass a tuple or a frozen dataclass",
            )
