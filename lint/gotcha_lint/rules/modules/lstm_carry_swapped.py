"""The hidden state of an LSTM stands where its cell state belongs."""

from collections.abc import Iterator

from gotcha_lint.patterns.training.lstm_carries import Swapped, swapped_carries
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs

_WORDS = {"c": "the cell state", "h": "the hidden state"}


class LstmCarrySwapped(Rule):
    """Takes the carry of an LSTM for `(h, c)` in Flax, or for `(c, h)` in Equinox.

    ## What happens
    No error: both parts have the same shape. The carry of the cells of Flax, linen and nnx, is `(c,
    h)`, the cell state first. PyTorch, Keras and Equinox put the hidden state first. What was
    computed to start the hidden state then starts the cell state. After `(h, c), y = lstm(carry,
    x)` the name `h` holds the cell state, which no output gate has seen and which is not bounded.

    ## Instead
    `(c, h), y = lstm((c, h), x)`. The output `y` of Flax is the hidden state.

    ## Not reported
    Two parts that begin with the same zeros; names that are exchanged at each use, so that only the
    carry reads them; parts whose names say nothing.

    ## In a run
    Nothing.

    ## References
    https://flax-linen.readthedocs.io/en/latest/api_reference/flax.linen/layers.html
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Encoder(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        lstm = nn.LSTMCell(4)
                        carry = lstm.initialize_carry(jax.random.key(0), x.shape)
                        (h, c), y = lstm(carry, x)  # ! lstm-carry-swapped
                        return h, y


                x = jnp.ones((2, 3))
                (hidden, y), _ = Encoder().init_with_output(jax.random.key(0), x)
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Encoder(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        lstm = nn.LSTMCell(4)
                        carry = lstm.initialize_carry(jax.random.key(0), x.shape)
                        (c, h), y = lstm(carry, x)
                        return h, y


                x = jnp.ones((2, 3))
                (hidden, y), _ = Encoder().init_with_output(jax.random.key(0), x)
            """,
            shows="not bool((hidden == y).all())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            for function in text.origins.links.bodies(text.module):
                for one in swapped_carries(text.origins, function):
                    yield Foreseen((function.path, one.span), _message(one))


def _message(one: Swapped) -> str:
    library = one.library.capitalize()
    order = ", ".join(one.order)
    first, second = one.parts
    if one.given:
        return (
            f"the carry of an LSTM of {library} is `({order})`: `{first}` becomes "
            f"{_WORDS[one.order[0]]}, and `{second}` {_WORDS[one.order[1]]}; exchange them"
        )
    return (
        f"an LSTM of {library} gives `({order})`: `{first}` is {_WORDS[one.order[0]]} here, and "
        f"`{second}` {_WORDS[one.order[1]]}; exchange the names"
    )
