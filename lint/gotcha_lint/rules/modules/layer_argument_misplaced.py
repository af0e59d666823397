"""A layer that is given by position what another library has at that place."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import MISPLACED
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class LayerArgumentMisplaced(Rule):
    """Gives a layer its arguments in the order that another library has them.

    ## What happens
    Often no error. Layers of Flax linen are not given the size of their input, so
    `nn.LayerNorm(768)` sets `epsilon=768`: what it normalises comes out nearly zero. The 16 of
    `nn.Dense(8, 16)` is `use_bias`. `nn.BatchNorm(64)` sets `use_running_average`, so it never uses
    the batch. The kernel of `nn.Conv(16, 32, 3)` is 32 wide, and 3 is its stride. Others raise, far
    from the line: `nn.Dropout(0.1, True)` gives `broadcast_dims=True`.

    ## Instead
    Give everything but the first argument by its name: `nn.LayerNorm(epsilon=1e-6)`,
    `nn.Dense(16)`, `nn.BatchNorm(use_running_average=not train)`.

    ## Not reported
    Values of which neither the text nor the name says what they are.

    ## In a run
    Nothing, where it does not raise.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp

                x = jnp.array([[1.0, 2.0, 3.0, 4.0]])
                norm = nn.LayerNorm(512)  # ! layer-argument-misplaced
                y = norm.apply(norm.init(jax.random.key(0), x), x)
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp

                x = jnp.array([[1.0, 2.0, 3.0, 4.0]])
                norm = nn.LayerNorm()
                y = norm.apply(norm.init(jax.random.key(0), x), x)
            """,
            shows="float(y.std()) < 0.1",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(MISPLACED):
            layer, field, what, order, raises = fault.text
            if raises:
                message = (
                    f"`{layer}` takes {order} by position, and everything else by name: {what} "
                    "raises a `TypeError`"
                )
            else:
                message = (
                    f"`{layer}` takes {what} as `{field}`: by position it has {_first(order)}; "
                    "give it by name"
                )
            yield Foreseen((fault.path, fault.span), message, fault.places, fault.certain)


_SHOWN = 4


def _first(order: str) -> str:
    words = order.split(", ")
    return ", ".join(words[:_SHOWN]) + (", ..." if len(words) > _SHOWN else "")
