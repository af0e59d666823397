"""Attention whose total width is that of one head."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import HEAD_WIDTH
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class QkvFeaturesPerHead(Rule):
    """Gives an attention layer the width of one head as `qkv_features`.

    ## What happens
    No error. `qkv_features` of Flax counts all heads, and the layer divides it by `num_heads`. With
    the width of one head each head gets a share of that: 4 heads and a width of 32 give
    `qkv_features=8`, and heads of 2 channels. The model is far smaller than its options say.

    ## Instead
    `qkv_features=width`, or leave it out: it is the width of the input then.

    ## Not reported
    Widths whose name or text says nothing of heads; a single head. `key_size` of Haiku and
    `qk_size` of Equinox are the width of one head.

    ## In a run
    Nothing: the shapes fit.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp

                width, heads = 32, 4
                attention = nn.MultiHeadDotProductAttention(  # ! qkv-features-per-head
                    num_heads=heads,
                    qkv_features=width // heads,
                )
                x = jnp.ones((1, 5, width))
                params = attention.init(jax.random.key(0), x, x)["params"]
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp

                width, heads = 32, 4
                attention = nn.MultiHeadDotProductAttention(
                    num_heads=heads,
                    qkv_features=width,
                )
                x = jnp.ones((1, 5, width))
                params = attention.init(jax.random.key(0), x, x)["params"]
            """,
            shows="params['query']['kernel'].shape == (32, 4, 2)",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(HEAD_WIDTH):
            layer, what = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"`qkv_features` of `{layer}` is the width of all heads together, which it divides "
                f"by `num_heads`, and this is {what}: give the whole width",
                fault.places,
                fault.certain,
            )
