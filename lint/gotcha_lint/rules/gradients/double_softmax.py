from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Call
from gotcha_lint.facts.optax import LOGIT_LOSSES
from gotcha_lint.queries.gradients import Flowing
from gotcha_lint.rule import Example, Report, Rule

_PROBABILITIES = frozenset(
    f"{module}.{name}"
    for module in ("jax.nn", "flax.linen", "flax.nnx")
    for name in ("softmax", "sigmoid")
)


class DoubleSoftmax(Rule):
    """Gives probabilities to a loss that expects logits, and so takes the softmax twice.

    ## What happens
    Nothing fails. Probabilities lie between 0 and 1, so the second softmax is nearly flat: with
    three classes the loss cannot fall below 0.551, and a certain answer gets a gradient of 4e-23.

    ## Instead
    Pass the logits. The loss computes a stable log-softmax itself.
    """

    severity = "error"
    roots = frozenset({"cross_entropy"})
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

    def check(self, site: Call) -> Iterator[Report]:
        if site.name not in LOGIT_LOSSES:
            return
        logits = site.arg_node(0, "logits")
        made = Flowing(site.body).resolve(logits) if logits is not None else None
        call = site.body.call_of(made) if isinstance(made, cst.Call) else None
        if call is None or call.name not in _PROBABILITIES:
            return
        word = call.name.rpartition(".")[2]
        yield Report(
            site.node,
            f"the loss expects logits and gets the output of `{word}`: pass what went into it",
            places=((call.node, "made probabilities here"),),
        )
