from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.logit_uses import LogitUse
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.faults.remarks import DOUBLE_SOFTMAX
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.solve.programs import Programs

_SQUASHES = frozenset({"softmax", "sigmoid"})


class DoubleSoftmax(Rule):
    """Gives probabilities where logits are expected, and so takes the softmax twice.

    ## What happens
    Nothing fails. Probabilities lie between 0 and 1, so the second softmax is nearly flat: with
    three classes the loss cannot fall below 0.551, and a certain answer gets a gradient of 4e-23.

    ## Instead
    Pass the logits. The loss computes a stable log-softmax itself.
    """

    severity = "error"
    roots = frozenset({"softmax", "sigmoid"})
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

    def check(self, site: LogitUse) -> Iterator[Report]:
        if is_test(site.body.model.path):
            return
        call = site.body.call_of(site.node)
        made = _made(site.body, call) if call is not None else None
        yield Report(
            site.node,
            f"logits are expected, but this is the output of `{site.value.of}`: pass its input",
            places=((made, "turned into probabilities here"),) if made is not None else (),
        )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(DOUBLE_SOFTMAX):
            (name,) = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"`{name}` takes logits and is given probabilities: the softmax is taken twice",
                fault.places,
                fault.certain,
            )


def _made(body: Body, call: Call) -> cst.CSTNode | None:
    """The call in this function that made the probabilities."""
    flowing = Flowing(body)
    for arg in call.node.args:
        made = body.call_of(flowing.resolve(arg.value))
        if made is not None and made.result.kind is Kind.ARRAY and made.result.of in _SQUASHES:
            return made.node
    return None
