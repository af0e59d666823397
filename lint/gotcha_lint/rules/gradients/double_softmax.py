from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.faults.remarks import DOUBLE_SOFTMAX
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class DoubleSoftmax(Rule):
    """Gives probabilities where logits are expected, and so takes the softmax twice.

    ## What happens
    Nothing fails. Probabilities lie between 0 and 1, so the second softmax is nearly flat: with
    three classes the loss cannot fall below 0.551, and a certain answer gets a gradient of 4e-23.

    ## Instead
    Pass the logits. The loss computes a stable log-softmax itself.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                logits = jnp.array([[50.0, 0.0, 0.0]])
                labels = jnp.array([[1.0, 0.0, 0.0]])
                probs = jax.nn.softmax(logits)
                loss = optax.softmax_cross_entropy(probs, labels)[0]  # ! double-softmax
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax

                logits = jnp.array([[50.0, 0.0, 0.0]])
                labels = jnp.array([[1.0, 0.0, 0.0]])
                loss = optax.softmax_cross_entropy(logits, labels)[0]
            """,
            shows="loss > 0.5",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(DOUBLE_SOFTMAX):
            if is_test(fault.path):
                continue
            name, made, *given = fault.text
            taker = f"`{name}`, called here," if given else f"`{name}`"
            yield Foreseen(
                (fault.path, fault.span),
                f"{taker} takes logits and is given the output of a {made}: pass its input",
                fault.places,
                fault.certain,
            )
