import re
from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import literal
from gotcha_lint.facts.optax import NORMALISING
from gotcha_lint.queries.chains import CHAINS, Part, chained, decays
from gotcha_lint.rule import Example, Report, Rule

_MEANT = re.compile(r"l2|torch|(?<!de)coupled", re.IGNORECASE)


class WeightDecayInMoments(Rule):
    """Adds weight decay before Adam, which divides it by the size of the gradients.

    ## What happens
    The decay becomes a part of the gradient: L2 regularisation, not the decoupled decay of AdamW.
    Where gradients are large nothing decays, and where they are small the weights fall at the full
    learning rate. Of three weights of 1.0 with gradients of 0.01, 1 and 100 that change their sign
    at each step, 200 steps left 0.018, 0.805 and 0.980; with `adamw` all were 0.804. The first step
    is the same for a decay of 0.1 and of 1.0. With `sgd` there is no such difference.

    ## Instead
    `optax.adamw(rate, weight_decay=0.1)`, or in a chain `scale_by_adam()`, then
    `add_decayed_weights(0.1)`, then `scale_by_learning_rate(rate)`.

    ## Not reported
    Code that speaks of L2 or of PyTorch, whose `Adam(weight_decay=...)` does the same; a decay of
    0; `sgd`, `trace` and trust ratios, where the decay belongs before them; lists of parts that
    grow.

    ## In a run
    Nothing: the numbers are as good as any.
    """

    confidence = "medium"
    roots = frozenset({"add_decayed_weights"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.chain(
                    optax.add_decayed_weights(0.1),  # ! weight-decay-in-moments
                    optax.adam(0.01),
                )


                @jax.jit
                def step(params, opt_state, grads):
                    updates, opt_state = tx.update(grads, opt_state, params)
                    return optax.apply_updates(params, updates), opt_state


                params = jnp.ones(3)
                opt_state = tx.init(params)
                grads = jnp.array([0.01, 1.0, 100.0])
                for i in range(100):
                    params, opt_state = step(params, opt_state, grads)
                    params, opt_state = step(params, opt_state, -grads)
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.adamw(0.01, weight_decay=0.1)


                @jax.jit
                def step(params, opt_state, grads):
                    updates, opt_state = tx.update(grads, opt_state, params)
                    return optax.apply_updates(params, updates), opt_state


                params = jnp.ones(3)
                opt_state = tx.init(params)
                grads = jnp.array([0.01, 1.0, 100.0])
                for i in range(100):
                    params, opt_state = step(params, opt_state, grads)
                    params, opt_state = step(params, opt_state, -grads)
            """,
            shows="params[2] - params[0] > 0.5",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if site.name not in CHAINS:
            return
        decay: Part | None = None
        for part in chained(site):
            adam = min(part.made & NORMALISING.keys(), default="")
            if decays(part) and not _is_zero(part):
                decay = part
            elif adam and decay is not None and part.node is not decay.node:
                if not _is_meant(site):
                    yield Report(decay.node, _message(adam), places=((part.node, "divided here"),))
                return


def _message(adam: str) -> str:
    word, better = adam.removeprefix("optax."), NORMALISING[adam].removeprefix("optax.")
    cure = f"give it to `{better}` as `weight_decay`" if better else "put it after that"
    return f"the decay goes through `{word}`, which divides it by the size of the gradients: {cure}"


def _is_zero(part: Part) -> bool:
    if part.call is None:
        return False
    node = part.call.arg_node(0, "weight_decay")
    return node is not None and literal(Flowing(part.call.body, part.call.at).resolve(node)) == 0


def _is_meant(site: Call) -> bool:
    """The statement, or the functions around it, speak of L2."""
    nodes: list[cst.CSTNode] = [site.at.statement]
    function: Function | None = site.body.function
    while function is not None and not isinstance(function.node, cst.Module):
        nodes.append(function.node)
        function = function.parent
    return any(_MEANT.search(cst.Module([]).code_for_node(node)) for node in nodes)
