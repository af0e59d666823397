import re
from collections.abc import Iterator

import libcst as cst

from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree


class PositiveLearningRate(Rule):
    """Ends a hand-made optimizer with `optax.scale` of a positive number, so that it ascends.

    ## What happens
    `optax.apply_updates` adds, and `scale_by_adam` and similar transformations keep the gradient's
    sign. Without a minus the loss goes up, and nothing fails: `chain(scale_by_adam(), scale(1e-3))`
    moves each parameter along its gradient.

    ## Instead
    `optax.scale(-1e-3)` or `optax.scale_by_learning_rate(1e-3)`, which brings the sign itself.

    ## Not reported
    Functions that say that something is maximised.
    """

    severity = "error"
    spoken = re.compile("maximi", re.IGNORECASE)
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import optax

                tx = optax.chain(optax.scale_by_rms(), optax.scale(0.1))  # ! positive-learning-rate
                x = jnp.array(1.0)
                updates, _ = tx.update(2 * x, tx.init(x))
                moved = optax.apply_updates(x, updates)
            """,
            good="""
                import jax.numpy as jnp
                import optax

                tx = optax.chain(optax.scale_by_rms(), optax.scale(-0.1))
                x = jnp.array(1.0)
                updates, _ = tx.update(2 * x, tx.init(x))
                moved = optax.apply_updates(x, updates)
            """,
            shows="moved > 1.0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for found in programs.chains.ascending():
            yield Foreseen(
                found.part.place,
                f"the chain ends in `{found.part.short}` with a positive step size, and updates "
                "are added: the loss is maximised",
            )

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree) -> Rewrite | None:
        match node:
            case cst.Call(args=[cst.Arg(value=cst.Float() as step)]):
                return Rewrite("negate", (Change(step, before="-"),), safe=False)
        return None
