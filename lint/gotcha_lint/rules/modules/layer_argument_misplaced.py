"""A layer that is given its arguments as another library takes them."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import MISPLACED
from gotcha_lint.interpret.layers.kernels import ONE_AXIS
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class LayerArgumentMisplaced(Rule):
    """Gives a layer its arguments as another library takes them.

    ## What happens
    Often no error. Layers of Flax linen are not given the size of their input, so
    `nn.LayerNorm(768)` sets `epsilon=768`: what it normalises comes out nearly zero. The 16 of
    `nn.Dense(8, 16)` is `use_bias`. `nn.BatchNorm(64)` sets `use_running_average`, so it never uses
    the batch. The kernel of `nn.Conv(16, 32, 3)` is 32 wide, and 3 is its stride. Others raise, far
    from the line: `nn.Dropout(0.1, True)` gives `broadcast_dims=True`.

    A whole number as `kernel_size` is a square in PyTorch, and a window of one axis in Flax:
    `nn.Conv(8, kernel_size=3)` slides along the width of an image, and takes the rows for a batch.

    ## Instead
    Give everything but the first argument by its name: `nn.LayerNorm(epsilon=1e-6)`,
    `nn.Dense(16)`, `nn.BatchNorm(use_running_average=not train)`. `kernel_size=(3, 3)`.

    ## Not reported
    Values of which neither the text nor the name says what they are; kernels of one axis, unless
    the layer is given an array of four axes, or its class has windows of two.

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
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp

                x = jnp.ones((1, 8, 8, 3))
                conv = nn.Conv(4, kernel_size=3)  # ! layer-argument-misplaced
                params = conv.init(jax.random.key(0), x)
                kernel = params["params"]["kernel"]
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp

                x = jnp.ones((1, 8, 8, 3))
                conv = nn.Conv(4, kernel_size=(3, 3))
                params = conv.init(jax.random.key(0), x)
                kernel = params["params"]["kernel"]
            """,
            shows="kernel.shape == (3, 3, 4)",
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
        seen: set[tuple[str, int]] = set()  # by the text, and by the shape
        for fault in programs.faults.of(ONE_AXIS):
            layer, number = fault.text
            if (fault.path, fault.span[0]) in seen:
                continue
            seen.add((fault.path, fault.span[0]))
            yield Foreseen(
                (fault.path, fault.span),
                f"the kernel `{number}` of this `{layer}` has one axis: it slides along the last "
                f"axis before the channels alone; write `({number}, {number})`",
                fault.places,
                fault.certain,
            )


_SHOWN = 4


def _first(order: str) -> str:
    words = order.split(", ")
    return ", ".join(words[:_SHOWN]) + (", ..." if len(words) > _SHOWN else "")
