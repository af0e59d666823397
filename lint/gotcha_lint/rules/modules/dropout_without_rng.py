"""A module that drops at random is applied without random keys."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class DropoutWithoutRng(Rule):
    """Runs a dropout without what it needs: random keys, or a flag that says whether to drop.

    ## What happens
    The dropout asks for random numbers, and Flax raises `InvalidRngError: Dropout_0 needs PRNG for
    "dropout"`. Evaluation works, since nothing is dropped there, so the first training step fails.

    Where neither the layer nor its call says whether to drop, Flax raises `ValueError: Parameter
    "deterministic" must be passed to the constructor or at call time.`, as soon as the rate is not
    zero: `nn.MultiHeadAttention(dropout_rate=0.1)(x)`.

    ## Instead
    `model.apply(variables, x, train=True, rngs={"dropout": key})`, with another key in each step.

    ## Not reported
    Calls with any `rngs`, or with `**options` that are not in the code; a dropout of rate 0, or one
    that only some branches reach; a module that is run by another method than `__call__`.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x, train):
                        x = nn.Dense(8)(x)
                        return nn.Dropout(0.5, deterministic=not train)(x)


                model = Model()
                x = jnp.ones((2, 4))
                variables = model.init(jax.random.key(0), x, train=False)
                y = model.apply(variables, x, train=True)  # ! dropout-without-rng
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x, train):
                        x = nn.Dense(8)(x)
                        return nn.Dropout(0.5, deterministic=not train)(x)


                model = Model()
                x = jnp.ones((2, 4))
                variables = model.init(jax.random.key(0), x, train=False)
                y = model.apply(variables, x, train=True, rngs={"dropout": jax.random.key(1)})
            """,
            raises="InvalidRngError",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for effect in programs.effects["apply"].values():
            if effect.what == "dropout":
                yield Foreseen(
                    (effect.path, effect.span),
                    "a dropout in this module needs random numbers here, and `apply` gets no "
                    '`rngs`: Flax raises; give `rngs={"dropout": key}`',
                    tuple((*place, "drops here") for place in effect.origins),
                    certain=not effect.maybe,
                )
        for effect in programs.effects["undecided"].values():
            yield Foreseen(
                (effect.path, effect.span),
                f"nothing tells this `{effect.what}` whether to drop: where its rate is not zero, "
                "Flax raises; give `deterministic=` to the layer or to this call",
                certain=not effect.maybe,
            )
