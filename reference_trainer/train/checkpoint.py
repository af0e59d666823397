"""Checkpoints: state, configuration, data iterator and versions, written together by Orbax.

Wrong: `pickle.dump(state)`: it copies one array after another, and dies with the next version of a
class. Wrong: a restore without a target: the optimizer's NamedTuples come back as dictionaries.
Wrong: weights without the place in the data.
Right: an asynchronous save, restored onto the shapes, types and shardings of a state that is never
made; a folder that appears by a rename, with its checksums, so that a crash in mid-save loses
nothing; a wait at the end, where errors of the background come out.

A resumed run is bit for bit the one that was not stopped: the state has the count of steps, with
which keys are folded, and a batch depends on nothing but its number and the seed.
(gotchas: device-array-pickled, orbax-restore-without-target, checkpoint-not-awaited)
"""

from __future__ import annotations

import logging
import math
from pathlib import Path
from typing import Any, NamedTuple

import jax
from orbax.checkpoint import v1 as ocp

from reference_trainer.run import integrity
from reference_trainer.run.integrity import CheckpointError, explained
from reference_trainer.train.state import TrainState

FORMAT = 1


class Saved(NamedTuple):
    """What a checkpoint holds besides the state."""

    step: int
    config: dict[str, Any]
    loader: dict[str, Any]  # where the next batch is
    tokens: float  # seen so far
    about: dict[str, Any]  # the data: digest, source, versions


class Checkpoints:
    """A folder of checkpoints; a context manager that waits for the last save on leaving.

    `clean` removes what is left of saves that were cut off: only a run that owns the folder may.
    """

    def __init__(
        self, folder: Path, keep: int = 2, *, asynchronous: bool = True, clean: bool = False
    ):
        self.folder = folder.absolute()
        self._asynchronous, self._saving = asynchronous, 0
        policies = ocp.training.preservation_policies
        best = policies.BestN(
            get_metric_fn=_bits, reverse=True, n=1, keep_checkpoints_without_metrics=False
        )
        # Orbax's policies do not fit its own annotations, nor does a path of the standard library.
        kept: Any = policies.AnyPreservationPolicy([policies.LatestN(keep), best])
        directory: Any = self.folder
        handlers = ocp.handlers.local_registry()
        handlers.add(ocp.handlers.JsonHandler, checkpointable_name="about")
        context = ocp.Context()
        context.checkpointables.registry = handlers
        # A function, as Orbax copies this: a bound method would be copied with its object.
        context.asynchronous.post_finalization_callback = lambda: self._list_checksums()
        logging.getLogger("absl").addFilter(integrity.not_raised)  # the same: it is added once
        with explained(self.folder):
            self._checkpointer = ocp.training.Checkpointer(
                directory,
                context=context,
                preservation_policy=kept,
                cleanup_tmp_directories=clean,
            )

    def __enter__(self) -> Checkpoints:
        return self

    def __exit__(self, *_: object) -> None:
        with explained(self.folder):
            # gotcha: shows[checkpoint-not-awaited] errors of the background come out here
            self._checkpointer.wait()
            self._checkpointer.close()

    def steps(self) -> list[int]:
        return sorted(found.step for found in self._checkpointer.checkpoints)

    def save(self, state: TrainState, metadata: Saved, held_out_bits: float | None = None) -> None:
        """Start a save; arrays are copied before this returns, so that they may be donated."""
        about = {"format": FORMAT, "versions": integrity.versions(), **metadata._asdict()}
        with explained(self.folder):
            self._checkpointer.wait()  # for the save before
            if metadata.step <= max(self.steps(), default=0):
                raise CheckpointError(
                    f"{self.folder}: step {metadata.step} is there already, or a later one"
                )
            self._saving = metadata.step
            # gotcha: shows[device-array-pickled] arrays go to Orbax, and nothing is pickled
            self._checkpointer.save_checkpointables_async(
                metadata.step,
                {"state": state, "about": about},
                force=True,  # whenever it is called: the loop decides
                metrics={"bits": held_out_bits},
            )
            if not self._asynchronous:
                self._checkpointer.wait()

    def read(self, step: int | None = None) -> Saved:
        """All but the state, of the newest checkpoint or of `step`; CheckpointError."""
        step = self.existing(step)
        with explained(self.folder / str(step)):
            about = dict(self._checkpointer.load_checkpointables(step, {"about": None})["about"])
        found, made_by = about.pop("format", None), about.pop("versions", None)
        if found != FORMAT or about.keys() != set(Saved._fields):
            raise CheckpointError(
                f"{self.folder / str(step)} has format {found}, this trainer reads {FORMAT}: "
                f"it was written by {made_by}"
            )
        return Saved(**about)

    def restore(self, target: TrainState, step: int | None = None) -> TrainState:
        """The state, with the types and shardings of `target`, which holds no arrays."""
        step = self.existing(step)
        # gotcha: shows[orbax-restore-without-target] the types of the target, not lists and dicts
        items = {"state": target}
        with explained(self.folder / str(step)):
            return self._checkpointer.load_checkpointables(step, items)["state"]

    def _list_checksums(self) -> None:
        """Called by Orbax in its thread: all files are written, the folder has no name yet."""
        if jax.process_index() == 0:
            for folder in self.folder.glob(f"{self._saving}.orbax-checkpoint-tmp*"):
                integrity.write(folder)

    def existing(self, step: int | None) -> int:
        steps = self.steps()
        if not steps:
            raise CheckpointError(f"no checkpoint in {self.folder}")
        if step is not None and step not in steps:
            raise CheckpointError(f"no checkpoint of step {step} in {self.folder}: {steps}")
        return steps[-1] if step is None else step


def _bits(metrics: Any) -> float:
    """Of a checkpoint that was not evaluated: worse than any other."""
    return math.inf if metrics["bits"] is None else metrics["bits"]
