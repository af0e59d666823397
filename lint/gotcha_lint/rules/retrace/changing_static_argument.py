from collections.abc import Iterator

from gotcha_lint.program.ir import Function
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import at_call, called, each_turn, variations
from gotcha_lint.solve.compiled_functions import Variation
from gotcha_lint.solve.programs import Programs


class ChangingStaticArgument(Rule):
    """Passes a number that changes at each step, or a new object, as a static argument.

    ## What happens
    A static argument is part of the program: each new value traces and compiles again. A step or
    an epoch counter as a static argument compiled 20 times in 20 steps, and the programs are kept.
    A lambda, a `partial`, an optimizer, and an object of a class without `__eq__` equal no other:
    made again at each call, each of them compiles another program too. The same holds for what a
    tree holds beside its arrays: the optimizer of a train state, a function in a module of Equinox
    or Flax NNX.

    ## Instead
    Pass it as an ordinary argument: Python numbers become traced scalars, and their values compile
    nothing. Where the number must be static (a size), use few values. Make the object once, or its
    class a frozen dataclass, which is equal where its values are.
    """

    confidence = "medium"
    confirmed_by = (("recompile", "static-value"),)
    examples = (
        Example(
            bad="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                @partial(jax.jit, static_argnames="step")
                def decay(x, step):
                    return x * 0.9**step


                x = jnp.ones(3)
                for step in range(20):
                    decay(x, step)  # ! changing-static-argument
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def decay(x, step):
                    return x * 0.9**step


                x = jnp.ones(3)
                for step in range(20):
                    decay(x, step)
            """,
            compiles=15,
        ),
        Example(
            bad="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                class Config:
                    def __init__(self, depth):
                        self.depth = depth


                @partial(jax.jit, static_argnames="config")
                def apply(x, config):
                    return x * config.depth


                x = jnp.ones(3)
                for _ in range(20):
                    apply(x, Config(2))  # ! changing-static-argument
            """,
            good="""
                from dataclasses import dataclass
                from functools import partial

                import jax
                import jax.numpy as jnp


                @dataclass(frozen=True)
                class Config:
                    depth: int


                @partial(jax.jit, static_argnames="config")
                def apply(x, config):
                    return x * config.depth


                x = jnp.ones(3)
                for _ in range(20):
                    apply(x, Config(2))
            """,
            compiles=15,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for row, variation in variations(programs, "value", "object", "data"):
            call = variation.call
            each, label = each_turn(variation.loops, call.path), variation.label
            if not variation.loops:
                each = f"call of {called(call.within)}"
            if variation.kind == "data":
                yield at_call(variation, _of_tree(row.function, variation, each), loops=True)
                continue
            if variation.kind == "value":
                what = f"has another value at each {each}"
                cure = "pass it as an ordinary argument, or use few values"
            else:
                what = f"is a new object at each {each}, equal to no other"
                cure = "make it once, or make its class a frozen dataclass"
            yield at_call(
                variation,
                f"the static argument `{label}` of {called(row.function)} {what}: one program is "
                f"compiled for each; {cure}",
                loops=True,
            )


def _of_tree(function: Function | None, variation: Variation, each: str) -> str:
    whole, _, field = variation.label.rpartition(".")
    part = f"`{field}` of the argument `{whole}`" if whole else f"data of the argument `{field}`"
    return (
        f"{part} of {called(function)} is no array, so it is compared, and it is a new object at "
        f"each {each}: one program is compiled for each; make it once"
    )
