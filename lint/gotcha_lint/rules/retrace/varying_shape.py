from collections.abc import Iterator

from gotcha_lint.domain.sites import Span
from gotcha_lint.interpret.faults.padded import PADDED
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import at_call, called, each_turn, variations
from gotcha_lint.solve.programs import Programs

_CURE = "round lengths up to a few fixed ones"
_AHEAD = ("precompile", "warmup", "warm_up")


class VaryingShape(Rule):
    """Gives a jitted function arrays whose shape changes from call to call.

    ## What happens
    `jax.jit` keeps one program per shape: batches padded to their own longest item had 17
    different lengths among 20 and compiled 17 times (1 to 3 times with fixed lengths). Every
    program stays in memory, about 1.6 MB for a function of two matrix products.

    ## Instead
    Round lengths up to a few (64, 128, 256), and mask the rest. Instead of a slice whose length
    varies, pass the whole array and the length; instead of the chosen elements, the mask.

    ## Not reported
    Loops of a `precompile` or `warmup` function, which compile ahead of time for each size. Shown
    with `--all`: a collate function, by its name, that pads to the longest item of its batch.
    """

    confirmed_by = (("recompile", "shape"),)
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def score(tokens):
                    return jnp.sum(tokens)


                texts = [[0] * length for length in range(1, 7)]
                for pair in zip(texts[::2], texts[1::2]):
                    longest = max(len(text) for text in pair)
                    score(np.zeros((2, longest)))  # ! varying-shape
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def score(tokens):
                    return jnp.sum(tokens)


                texts = [[0] * length for length in range(1, 7)]
                for pair in zip(texts[::2], texts[1::2]):
                    longest = max(len(text) for text in pair)
                    score(np.zeros((2, -(-longest // 64) * 64)))
            """,
            compiles=2,
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def total(x):
                    return jnp.sum(x)


                for i in range(1, 8):
                    total(jnp.ones(8)[:i])  # ! varying-shape
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def total(x, n):
                    return jnp.sum(jnp.where(jnp.arange(x.shape[0]) < n, x, 0))


                for i in range(1, 8):
                    total(jnp.ones(8), i)
            """,
            compiles=5,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        told: set[tuple[str, Span]] = set()
        for row, variation in variations(programs, "shape"):
            call = variation.call
            if any(word in call.within.name.lower() for word in _AHEAD):
                continue
            each = each_turn(variation.loops, call.path)
            if not variation.loops:
                each = f"call of {called(call.within)}"
            told.update(place[:2] for place in variation.places)
            yield at_call(
                variation,
                f"axis {variation.axis} of `{variation.label}` has another size at each {each}: "
                f"{called(row.function)} compiles one program for each size; {_CURE}",
                loops=True,
            )
        for fault in programs.faults.of(PADDED):
            if (fault.path, fault.span) not in told:
                (name,) = fault.text
                yield Foreseen(
                    (fault.path, fault.span),
                    f"`{name}` makes batches as long as their longest item: a jitted function "
                    f"that is given them compiles one program for each length; {_CURE}",
                    certain=False,
                )
