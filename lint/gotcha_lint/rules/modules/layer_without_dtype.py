"""A layer that computes in float32 between others that do not."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import UNTYPED
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class LayerWithoutDtype(Rule):
    """Leaves out the `dtype` that the layers beside it are given.

    ## What happens
    No error. A layer of Flax without `dtype` computes in the type of its parameters, float32, and
    gives that. Added to an activation in bfloat16 the sum is float32, too, and so is what follows
    up to the next layer with a type: it takes twice the memory, and runs without tensor cores.

    ## Instead
    `nn.Dense(width, dtype=self.dtype)`; or `dtype=jnp.float32`, where it is meant.

    ## Not reported
    Norms and embeddings; layers that are named a head, a router or an output, that are returned,
    or whose result is cast; functions in which fewer than two layers are given the type.

    ## In a run
    Nothing.
    """

    severity = "warning"
    confidence = "medium"
    doubts = ("float32", "fp32", "full precision", "f32")
    examples = (
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Block(nn.Module):
                    dtype: jnp.dtype = jnp.bfloat16

                    @nn.compact
                    def __call__(self, x):
                        skip = nn.Dense(8)(x)  # ! layer-without-dtype
                        h = nn.relu(nn.Dense(16, dtype=self.dtype)(x))
                        return skip + nn.Dense(8, dtype=self.dtype)(h)


                x = jnp.ones((2, 4), jnp.bfloat16)
                y, _ = Block().init_with_output(jax.random.key(0), x)
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Block(nn.Module):
                    dtype: jnp.dtype = jnp.bfloat16

                    @nn.compact
                    def __call__(self, x):
                        skip = nn.Dense(8, dtype=self.dtype)(x)
                        h = nn.relu(nn.Dense(16, dtype=self.dtype)(x))
                        return skip + nn.Dense(8, dtype=self.dtype)(h)


                x = jnp.ones((2, 4), jnp.bfloat16)
                y, _ = Block().init_with_output(jax.random.key(0), x)
            """,
            shows="y.dtype == jnp.float32",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(UNTYPED):
            layer, given = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"this `{layer}` computes in float32, and the layers beside it in `{given}`: what "
                "its result is added to becomes float32; give it the same type",
                fault.places,
                fault.certain,
            )
