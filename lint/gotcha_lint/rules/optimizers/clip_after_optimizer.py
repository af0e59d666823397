from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Call
from gotcha_lint.facts.optax import CLIPS, SCALED
from gotcha_lint.queries.chains import chained
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, text_of


class ClipAfterOptimizer(Rule):
    """Clips in `optax.chain` after the optimizer, so it clips the update instead of the gradient.

    ## What happens
    The clip sees the gradient already scaled by the learning rate: with `sgd(0.1)` and a limit of
    1.0 a gradient of norm 10 passes untouched, an update ten times as large as was meant
    (measured: -0.577 instead of -0.0577). With `adam`, whose updates are small, it practically
    never clips, and a spike has already entered the moments.

    ## Instead
    `optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.1))`: parts run from left to right.

    ## Not reported
    A clip after `scale_by_adam` and the like, which is how updates are clipped on purpose.
    """

    severity = "error"
    roots = frozenset({"optax"})
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import optax

                params = jnp.zeros(3)
                tx = optax.chain(optax.sgd(0.1), optax.clip(1.0))  # ! clip-after-optimizer
                updates, _ = tx.update(jnp.full(3, 100.0), tx.init(params), params)
            """,
            good="""
                import jax.numpy as jnp
                import optax

                params = jnp.zeros(3)
                tx = optax.chain(optax.clip(1.0), optax.sgd(0.1))
                updates, _ = tx.update(jnp.full(3, 100.0), tx.init(params), params)
            """,
            shows="optax.tree.norm(updates) > 0.5",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if site.name != "optax.chain":
            return
        parts = chained(site)
        optimizer: cst.CSTNode | None = None
        for node, made, _ in parts:
            if made & SCALED:
                optimizer = node
            elif made & CLIPS and len(made) == 1 and optimizer not in (None, node):
                swap = len(parts) == 2 and all(site.body.call_of(part.node) for part in parts)
                yield Report(
                    node,
                    f"`{min(made).removeprefix('optax.')}` comes after the optimizer, so it limits "
                    "the update, not the gradient: put it first",
                    _swap(optimizer, node) if swap else None,
                    places=((optimizer, "the optimizer"),),
                )
                return


def _swap(optimizer: cst.CSTNode, clip: cst.CSTNode) -> Rewrite:
    changes = (Change(optimizer, text=text_of(clip)), Change(clip, text=text_of(optimizer)))
    return Rewrite("clip first", changes, safe=False)
