from collections.abc import Iterator

from gotcha_lint.analysis.sites import Call
from gotcha_lint.facts.optax import ADAPTIVE, DECAY, WRAPPERS
from gotcha_lint.queries.chains import CHAIN, NAMED, parts
from gotcha_lint.rule import Example, Report, Rule


class WeightDecayInMoments(Rule):
    """Adds weight decay to the gradient before Adam, which divides it away again.

    ## What happens
    `chain(add_decayed_weights(0.1), adam(rate))` is L2 regularisation, not the decoupled decay of
    AdamW: the decay is divided by the size of the gradients with the rest. After 200 steps with
    gradients of 10 and -10 in turn a weight of 1.0 is 0.998; with `adamw` 0.833, and 1.018 without
    any decay. Nothing says so.

    ## Instead
    `optax.adamw(rate, weight_decay=0.1)`; in a chain by hand `add_decayed_weights` between
    `scale_by_adam` and the learning rate. Where L2 is meant, add it to the loss, where all can see
    it.

    ## Not reported
    Decay before `sgd` and momentum, where both are the same; parts that are not known.

    ## References
    https://arxiv.org/abs/1711.05101
    """

    preview = True
    roots = frozenset({"optax"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                decay = optax.add_decayed_weights(0.1)
                tx = optax.chain(decay, optax.adam(0.01))  # ! weight-decay-in-moments


                @jax.jit
                def turn(i, w, state):
                    gradient = jnp.where(i % 2, 10.0, -10.0)
                    updates, state = tx.update(gradient, state, w)
                    return optax.apply_updates(w, updates), state


                w = jnp.ones(())
                state = tx.init(w)
                for i in range(200):
                    w, state = turn(i, w, state)
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.adamw(0.01, weight_decay=0.1)


                @jax.jit
                def turn(i, w, state):
                    gradient = jnp.where(i % 2, 10.0, -10.0)
                    updates, state = tx.update(gradient, state, w)
                    return optax.apply_updates(w, updates), state


                w = jnp.ones(())
                state = tx.init(w)
                for i in range(200):
                    w, state = turn(i, w, state)
            """,
            shows="bool(w > 0.99)",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if site.name not in (CHAIN, NAMED):
            return
        decay = None
        for part in parts(site):
            if DECAY in part.made and part.made <= {DECAY, *WRAPPERS}:
                decay = part
            elif part.made & ADAPTIVE and decay is not None:
                by = min(part.made & ADAPTIVE).rpartition(".")[2]
                yield Report(
                    decay.node,
                    f"this decay goes through `{by}`, which divides it by the size of the "
                    "gradients: it is L2, not the decay of AdamW",
                    places=((part.node, "divided here"),),
                )
                return
