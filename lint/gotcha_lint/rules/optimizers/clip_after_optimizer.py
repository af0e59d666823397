from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule, text_of
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.nodes import walk


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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for found in programs.chains.clipped_after():
            yield Foreseen(
                found.part.place,
                f"`{found.part.short}` comes after the optimizer, so it limits the update, not "
                "the gradient: put it first",
                found.explained("the optimizer"),
            )

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, model: FileModel) -> Rewrite | None:
        for chain in walk(statement):
            match chain:
                case cst.Call(
                    args=[
                        cst.Arg(value=cst.Call() as first, star="", keyword=None),
                        cst.Arg(value=cst.Call() as last, star="", keyword=None),
                    ]
                ) if last is node:
                    swap = Change(first, text=text_of(last)), Change(last, text=text_of(first))
                    return Rewrite("clip first", swap, safe=False)
        return None
