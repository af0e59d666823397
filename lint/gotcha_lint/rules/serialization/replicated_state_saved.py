"""A state that was replicated over devices goes to a checkpoint with the axis of the devices."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.saved import REPLICATED
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class ReplicatedStateSaved(Rule):
    """Saves a state that `replicate` has given an axis for the devices.

    ## What happens
    No error. Each array is in the file once for each device, `(8, 3, 3, 64)` instead of
    `(3, 3, 64)`. `restore_checkpoint` takes whatever shapes are stored: a restart restores into a
    state that is not replicated yet, gets the arrays with the axis, and replicates them again. Then
    the first step fails with a shape error, or broadcasts. Evaluation on another number of devices
    cannot read the file at all.

    ## Instead
    `save_checkpoint(path, flax.jax_utils.unreplicate(state), step)`.

    ## Not reported
    Programs that restore into a replicated state, too; a state that is changed by anything but a
    step in between.

    ## In a run
    Nothing.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import tempfile

                import jax.numpy as jnp
                from flax import jax_utils
                from flax.training import checkpoints

                folder = tempfile.mkdtemp()
                start = {"w": jnp.ones(3)}
                state = jax_utils.replicate(start)
                checkpoints.save_checkpoint(folder, state, 0)  # ! replicated-state-saved
                restored = checkpoints.restore_checkpoint(folder, None)
            """,
            good="""
                import tempfile

                import jax.numpy as jnp
                from flax import jax_utils
                from flax.training import checkpoints

                folder = tempfile.mkdtemp()
                start = {"w": jnp.ones(3)}
                state = jax_utils.replicate(start)
                checkpoints.save_checkpoint(folder, jax_utils.unreplicate(state), 0)
                restored = checkpoints.restore_checkpoint(folder, None)
            """,
            shows='restored["w"].ndim == 2',
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(REPLICATED):
            name = fault.text[0]
            yield Foreseen(
                (fault.path, fault.span),
                f"`{name}` is replicated, so each array is saved with an axis for the devices, and "
                f"a restart reads it so: save `flax.jax_utils.unreplicate({name})`",
                fault.places,
            )
