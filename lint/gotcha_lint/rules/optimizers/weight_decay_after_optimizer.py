from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.rates import NEGATIVE, POSITIVE, is_rate
from gotcha_lint.analysis.sites import Call
from gotcha_lint.facts.optax import DECAYS, SCALED, SIGN_KEEPING
from gotcha_lint.queries.chains import CHAINS, Part, chained, decays
from gotcha_lint.rule import Example, Report, Rule

_SCALES = frozenset({"optax.scale", "optax.scale_by_schedule"})


class WeightDecayAfterOptimizer(Rule):
    """Adds weight decay in `optax.chain` after the optimizer, so that the weights grow.

    ## What happens
    The optimizer has turned the gradient round and scaled it by the learning rate; the decay is
    added to that as it is. Each step multiplies the weights by 1 plus the decay: with
    `add_decayed_weights(0.01)` after `sgd`, and no gradient at all, a weight of 1.0 was 2.7 after
    100 steps, whatever the learning rate. A small decay goes unnoticed, and makes weights larger.

    ## Instead
    With `sgd` before it, `optax.chain(optax.add_decayed_weights(1e-4), optax.sgd(0.1))`; for Adam
    `optax.adamw(rate, weight_decay=1e-4)`.

    ## Not reported
    A decay that is not seen to be positive: `add_decayed_weights(-rate * decay)` is right there.

    ## In a run
    Nothing, until a weight overflows.
    """

    severity = "error"
    roots = frozenset({"add_decayed_weights"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.chain(
                    optax.sgd(0.1),
                    optax.add_decayed_weights(0.01),  # ! weight-decay-after-optimizer
                )


                @jax.jit
                def step(params, opt_state, grads):
                    updates, opt_state = tx.update(grads, opt_state, params)
                    return optax.apply_updates(params, updates), opt_state


                params = jnp.ones(3)
                opt_state = tx.init(params)
                for i in range(100):
                    params, opt_state = step(params, opt_state, jnp.zeros(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.chain(
                    optax.add_decayed_weights(0.01),
                    optax.sgd(0.1),
                )


                @jax.jit
                def step(params, opt_state, grads):
                    updates, opt_state = tx.update(grads, opt_state, params)
                    return optax.apply_updates(params, updates), opt_state


                params = jnp.ones(3)
                opt_state = tx.init(params)
                for i in range(100):
                    params, opt_state = step(params, opt_state, jnp.zeros(3))
            """,
            shows="params[0] > 1.0",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if site.name not in CHAINS:
            return
        parts = chained(site)
        for number, part in enumerate(parts):
            optimizer = next(filter(_descends, parts[:number]), None)
            if optimizer is None or optimizer.node is part.node or not _grows(part):
                continue
            if all(after.made and after.made <= SIGN_KEEPING for after in parts[number + 1 :]):
                yield Report(
                    part.node,
                    "the weights grow: the decay comes after the optimizer, which makes the sign "
                    "negative, so it is added as it is; put it first, or use `adamw`",
                    places=((optimizer.node, "the optimizer"),),
                )


def _descends(part: Part) -> bool:
    """Its updates go down: a whole optimizer, or a step size with a minus."""
    call = part.call
    if call is not None and any(
        arg.keyword and arg.keyword.value == "flip_sign" for arg in call.node.args
    ):
        return False
    size = call.arg_node(0, "step_size", "step_size_fn") if call is not None else None
    minus = isinstance(size, cst.UnaryOperation) and isinstance(size.operator, cst.Minus)
    return bool(part.made & SCALED) or (minus and part.made <= _SCALES)


def _grows(part: Part) -> bool:
    """A decay that is a positive number, or is called one."""
    call = part.call
    if call is None or call.name != "optax.add_decayed_weights" or not decays(part):
        return False
    node = call.arg_node(0, "weight_decay")
    number = Flowing(call.body, call.at).resolve(node) if node is not None else None
    named = is_rate(number, DECAYS) and call.result.made != NEGATIVE
    return call.result.made == POSITIVE or named
