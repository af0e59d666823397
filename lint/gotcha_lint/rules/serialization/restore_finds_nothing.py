"""A restore gives the target back where there is no checkpoint, and nothing looks."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.saved import UNSEEN
from gotcha_lint.patterns.erased_folders import erased_folders
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class RestoreFindsNothing(Rule):
    """Restores a checkpoint that may not be there, and goes on with the fresh state.

    ## What happens
    No error. `flax.training.checkpoints.restore_checkpoint(folder, target)` gives the target back
    as it is where the folder is empty or missing: a wrong path, another working directory, a typing
    error in a name. An evaluation then measures random weights, and a training starts over.

    ## Instead
    Ask before: `if latest_checkpoint(folder) is None: raise FileNotFoundError(folder)`. With
    `step=...` a missing checkpoint raises. A training that starts from zero where nothing is found
    can say so, by the step that it begins with.

    A start that erases the folder of the checkpoints, and restores from it afterwards, loses them:
    it is a warning. Erase the folder only where the run is new.

    ## Not reported
    Functions in which anything looks at the folder, at `latest_checkpoint`, or at the step of what
    was restored; those that save, too; helpers whose callers look, or that nothing calls. A folder
    that is erased under a condition, or that anything is written or fetched to in between.

    ## In a run
    Nothing.
    """

    severity = "info"
    examples = (
        Example(
            bad="""
                import tempfile

                import jax.numpy as jnp
                from flax.training import checkpoints

                FOLDER = tempfile.mkdtemp()


                def restore(state):
                    return checkpoints.restore_checkpoint(FOLDER, state)  # ! restore-finds-nothing


                try:
                    state = restore({"w": jnp.zeros(3)})
                except FileNotFoundError:
                    state = None
            """,
            good="""
                import tempfile

                import jax
                import jax.numpy as jnp
                from flax.training import checkpoints

                FOLDER = tempfile.mkdtemp()


                def restore(state):
                    if checkpoints.latest_checkpoint(FOLDER) is None:
                        raise FileNotFoundError(FOLDER)
                    loaded = checkpoints.restore_checkpoint(FOLDER, state)
                    if jax.tree.map(jnp.shape, loaded) != jax.tree.map(jnp.shape, state):
                        raise ValueError("the checkpoint is of another model")
                    return loaded


                try:
                    state = restore({"w": jnp.zeros(3)})
                except FileNotFoundError:
                    state = None
            """,
            shows="state is not None",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(UNSEEN):
            yield Foreseen(
                (fault.path, fault.span),
                "where there is no checkpoint, this gives the target back as it is, and nothing "
                "looks: ask `latest_checkpoint` before",
                fault.places,
            )
        for text in programs.texts:
            for one in erased_folders(text):
                yield Foreseen(
                    (one.path, one.span),
                    "this erases what is in the folder, and a checkpoint is restored from there "
                    "afterwards: erase it only where the run is new",
                    ((one.path, one.restored, "restored here"),),
                    severity="warning",
                )
