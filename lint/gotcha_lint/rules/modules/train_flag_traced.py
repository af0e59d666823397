from collections.abc import Iterator

from gotcha_lint.interpret.faults.called import REMAT_FLAG
from gotcha_lint.interpret.faults.flags import TRACED_FLAG
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class TrainFlagTraced(Rule):
    """Takes `train` or `deterministic` as a traced argument of a jitted function or a remat layer.

    ## What happens
    `TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[].`,
    raised deep inside of dropout or batch normalisation, which branch on the flag in Python.

    ## Instead
    Declare it static: `@partial(jax.jit, static_argnames="train")`. Two values are two programs.

    ## Not reported
    Flags that only choose in `jax.lax.cond` or `jnp.where`, which take tracers.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn

                dropout = nn.Dropout(0.5)
                rngs = {"dropout": jax.random.key(0)}


                @jax.jit
                def forward(x, deterministic):  # ! train-flag-traced
                    return dropout.apply({}, x, deterministic=deterministic, rngs=rngs)


                forward(jnp.ones(3), False)
            """,
            good="""
                from functools import partial

                import jax
                import jax.numpy as jnp
                from flax import linen as nn

                dropout = nn.Dropout(0.5)
                rngs = {"dropout": jax.random.key(0)}


                @partial(jax.jit, static_argnames="deterministic")
                def forward(x, deterministic):
                    return dropout.apply({}, x, deterministic=deterministic, rngs=rngs)


                forward(jnp.ones(3), deterministic=False)
            """,
            raises="TracerBoolConversionError",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn


                class Block(nn.Module):
                    @nn.compact
                    def __call__(self, x, train):
                        return nn.Dropout(0.5)(nn.Dense(3)(x), deterministic=not train)


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x, train):
                        return nn.remat(Block)()(x, train)  # ! train-flag-traced


                Model().init(jax.random.key(0), jnp.ones((2, 3)), False)
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn


                class Block(nn.Module):
                    @nn.compact
                    def __call__(self, x, train):
                        return nn.Dropout(0.5)(nn.Dense(3)(x), deterministic=not train)


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x, train):
                        return nn.remat(Block, static_argnums=2)()(x, train)


                Model().init(jax.random.key(0), jnp.ones((2, 3)), False)
            """,
            raises="TracerBoolConversionError",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(TRACED_FLAG):
            yield Foreseen(
                (fault.path, fault.span),
                f"Python branches on `{fault.text[0]}`, a tracer: list it in `static_argnames`",
                fault.places,
                fault.certain,
            )
        for fault in programs.faults.of(REMAT_FLAG):
            yield Foreseen(
                (fault.path, fault.span),
                f"`remat` traces `{fault.text[0]}`, and Python branches on it: list it in "
                "`static_argnums` (`self` is 0) and give it by position",
                fault.places,
                fault.certain,
            )
