"""A random key made from a literal, inside a traced function."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class ConstantKeyInJit(Rule):
    """Makes a random key from a constant inside a traced function that is called repeatedly.

    ## What happens
    The key, and with it every number drawn from it, is a constant of the compiled program: each
    call and each iteration of a `scan` has the same noise. In a diffusion trainer four batches drew
    four equal timesteps.

    ## Instead
    Pass a key in, and split it outside or `fold_in` the step.

    ## Not reported
    Functions that initialise, and keys given to `init` or `initialize_carry`, which need only a
    key's shape. `rngs={"dropout": key}` of a model that is not told to train, where nothing is
    differentiated.
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def corrupt(x):
                    key = jax.random.key(0)  # ! constant-key-in-jit
                    return x + jax.random.normal(key, x.shape)


                noisy = [corrupt(jnp.zeros(3)) for _ in range(8)]
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def corrupt(x, key):
                    return x + jax.random.normal(key, x.shape)


                keys = jax.random.split(jax.random.key(0), 8)
                noisy = [corrupt(jnp.zeros(3), keys[n]) for n in range(8)]
            """,
            shows="bool((noisy[0] == noisy[1]).all())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for key in programs.constant_keys:
            yield Foreseen(
                key.place,
                "`{}` is a constant of the traced function: every call draws the same numbers; "
                "pass a key in",
                ((*key.drawn, "drawn from here"),),
                key.certain,
                quotes=(key.place,),
            )
