"""Where a run begins: at its first step, or after a checkpoint. One command serves both.

Wrong: a program that refuses to start where it has run before, and another option to go on: a
supervisor that starts it again after a crash has to know which of the two is needed, and a run
that was killed before its first checkpoint is accepted by neither.
Right: `--resume=auto`, the default: go on from the newest checkpoint that is whole, else start.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from jax.experimental import multihost_utils

from reference_trainer.config import Config, ConfigError
from reference_trainer.settings import differences, from_json
from reference_trainer.train.checkpoint import CheckpointError, Checkpoints, Saved, set_aside

Resume = Literal["auto", "always", "never"]


def find(folder: Path, way: Resume, step: int | None = None) -> Saved | None:
    """The checkpoint that the run in `folder` goes on from, or None: it starts.

    All processes must call it. ConfigError or CheckpointError where `way` does not allow what is
    there.
    """
    if step is not None and way != "always":
        raise ConfigError("--step says where to resume: add --resume")
    place = folder / "checkpoints"
    exists = place.is_dir()
    multihost_utils.sync_global_devices("all have looked")  # before one of them makes the folder
    if not exists:
        if way == "always":
            raise ConfigError(f"--resume: no run in {folder}; give its folder with --out")
        return None
    with Checkpoints(place) as checkpoints:
        steps = checkpoints.steps()
        if steps and way == "never":
            raise ConfigError(f"{folder} holds a run: leave out --resume=never to go on with it")
        if step is not None:
            checkpoints.check_whole(step)
            return checkpoints.read(step)
        newest, lines = checkpoints.newest_whole()
        for line in lines:
            print(line)
        if newest is not None:
            if lines:
                print(f"the newest checkpoint that is whole is of step {newest}")
            return checkpoints.read(newest)
    if way == "always":
        whole = "no whole checkpoint" if steps else "no checkpoint"
        raise CheckpointError(f"{whole} in {place}: leave out --resume to start the run again")
    if set_aside(place, 0):
        print(f"no whole checkpoint in {place}: they are set aside, and the run starts again")
    return None


def agreed(config: Config, saved: Saved, folder: Path) -> Config:
    """The settings of a command that goes on by itself: those of the run; ConfigError.

    `data.batch=0` is the number of rows that the run found when it started.
    """
    before = from_json(saved.config)
    if not config.data.batch:
        config = config.replace(data={"batch": before.data.batch})
    if lines := differences(before.to_json(), config.to_json()):
        raise ConfigError(
            f"{folder} holds a run with other settings:\n  "
            + "\n  ".join(lines)
            + "\nGo on with its own settings by --resume, or choose another --out."
        )
    return config
