"""Checkpoints: state, configuration, data iterator and versions, written together by Orbax.

Wrong: `pickle.dump(state)`: it copies one array after another, and dies with the next version of a
class. Wrong: a restore without a target: the optimizer's NamedTuples come back as dictionaries.
Wrong: weights without the place in the data.
Right: an asynchronous save, restored onto the shapes, types and shardings of a state that is never
made; a folder that appears by a rename, with its checksums, so that a crash in mid-save loses
nothing; a wait at the end, where errors of the background come out.

A resumed run is bit for bit the one that was not stopped: the state has the count of steps, from
which keys are folded, the loader's place is the one after the last batch that was trained on, and
a batch depends on nothing but its number and the seed.
(gotchas: device-array-pickled, orbax-restore-without-target, checkpoint-not-awaited)
"""

from __future__ import annotations

import errno
import logging
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import jax
import orbax.checkpoint as ocp
from orbax.checkpoint.checkpoint_managers import AnyPreservationPolicy, BestN, LatestN

from reference_trainer.config import UserError
from reference_trainer.run import integrity
from reference_trainer.train.state import TrainState

FORMAT = 1


class CheckpointError(UserError):
    """A checkpoint that is missing, broken, newer than this trainer, or of another model."""


class DiskFull(CheckpointError):
    """No fault of the command: the same one works when there is room."""

    code = 1


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
        policy = [
            LatestN(keep),
            BestN(get_metric_fn=_bits, reverse=True, n=1, keep_checkpoints_without_metrics=False),
        ]
        options = ocp.CheckpointManagerOptions(
            preservation_policy=AnyPreservationPolicy(policy),
            best_fn=_bits,
            best_mode="min",
            cleanup_tmp_directories=clean,
            async_options=ocp.AsyncOptions(post_finalization_callback=self._list_checksums),
        )
        logging.getLogger("absl").addFilter(
            integrity.not_raised
        )  # added once: it is the same each time
        with _explained(self.folder):
            self._manager = ocp.CheckpointManager(self.folder, options=options)

    def __enter__(self) -> Checkpoints:
        return self

    def __exit__(self, *_: object) -> None:
        with _explained(self.folder):
            # gotcha: shows[checkpoint-not-awaited] errors of the background come out here
            self._manager.wait_until_finished()
            self._manager.close()

    def steps(self) -> list[int]:
        return sorted(self._manager.all_steps())

    def save(self, state: TrainState, metadata: Saved, held_out_bits: float | None = None) -> None:
        """Start a save; arrays are copied before this returns, so that they may be donated."""
        about = {"format": FORMAT, "versions": integrity.versions(), **metadata._asdict()}
        # gotcha: shows[device-array-pickled] arrays go to Orbax, and nothing is pickled
        arrays = ocp.args.StandardSave(state)
        items = ocp.args.Composite(state=arrays, about=ocp.args.JsonSave(about))
        with _explained(self.folder):
            self._manager.wait_until_finished()  # of the save before
            self._saving = metadata.step
            saved = self._manager.save(metadata.step, args=items, metrics={"bits": held_out_bits})
            if not self._asynchronous:
                self._manager.wait_until_finished()
        if not saved:
            raise CheckpointError(
                f"{self.folder}: step {metadata.step} is there already, or a later one"
            )

    def read(self, step: int | None = None) -> Saved:
        """All but the state, of the newest checkpoint or of `step`; CheckpointError."""
        step = self.existing(step)
        items = ocp.args.Composite(about=ocp.args.JsonRestore())
        with _explained(self.folder / str(step)):
            about = dict(self._manager.restore(step, args=items)["about"])
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
        items = ocp.args.Composite(state=ocp.args.StandardRestore(target))
        with _explained(self.folder / str(step)):
            return self._manager.restore(step, args=items)["state"]

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


@contextmanager
def _explained(place: Path) -> Iterator[None]:
    """Turns what can go wrong with files into a CheckpointError that says where and why."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        # Orbax's own writers raise a ValueError, and have only the system's words for it.
        full = isinstance(error, OSError) and error.errno == errno.ENOSPC
        if full or "No space left on device" in str(error):
            raise DiskFull(
                f"{place}: the disk is full; earlier checkpoints are whole: make room and give the "
                "same command again"
            ) from error
        first = str(error).strip().partition("\n")[0] or type(error).__name__
        raise CheckpointError(
            f"{place}: cannot be read or written ({type(error).__name__}: {first[:300]}); choose "
            "an earlier one with --step, if there is one"
        ) from error
