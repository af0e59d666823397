"""Where a run begins: at its first step, or after a checkpoint. One command serves both.

Wrong: a program that refuses to start where it has run before, and another option to go on: a
supervisor that starts it again after a crash has to know which of the two is needed, and a run
that was killed before its first checkpoint is accepted by neither.
Right: `--resume=auto`, the default: go on from the newest checkpoint that is whole, else start.
"""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import Any, Literal

import jax
import numpy as np
from jax.experimental import multihost_utils

from reference_trainer.config import Config, ConfigError, group
from reference_trainer.run import integrity
from reference_trainer.run.integrity import CheckpointError, DiskFull
from reference_trainer.run.settings import differences, from_json
from reference_trainer.train.checkpoint import Checkpoints, Saved
from reference_trainer.train.state import TrainState

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
            check_whole(checkpoints, step)
            return checkpoints.read(step)
        newest, lines = newest_whole(checkpoints)
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


def newest_whole(checkpoints: Checkpoints) -> tuple[int | None, list[str]]:
    """The newest step whose files are as they were saved, and a line for each that is damaged.

    One process reads the files, and all learn the result: all must call it.
    """
    newest, lines = None, []
    if jax.process_index() == 0:
        for step in reversed(checkpoints.steps()):
            if not (names := integrity.damaged(checkpoints.folder / str(step))):
                newest = step
                break
            lines.append(_damage(step, names))
    agreed_step = int(multihost_utils.broadcast_one_to_all(np.int32(newest or 0)))
    return agreed_step or None, lines


def check_whole(checkpoints: Checkpoints, step: int) -> None:
    """CheckpointError where files of `step` are not as they were saved."""
    folder = checkpoints.folder
    if names := integrity.damaged(folder / str(checkpoints.existing(step))):
        raise CheckpointError(f"{folder}: {_damage(step, names)}; choose another --step")


def _damage(step: int, names: list[str]) -> str:
    some = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    return f"step {step} is damaged: {some} changed after the save, or went missing"


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


def check_same(saved: Saved, config: Config, about: dict[str, Any]) -> None:
    """CheckpointError with one line per difference that makes going on impossible."""
    if saved.step % config.run.fused:
        raise ConfigError(f"step {saved.step} is no multiple of run.fused={config.run.fused}")
    lines = differences(_fixed(from_json(saved.config)), _fixed(config))
    if not lines:
        lines = differences({"data read": saved.about}, {"data read": about})
    if lines:
        raise CheckpointError(
            f"step {saved.step} was saved by a run that differs:\n  "
            + "\n  ".join(lines)
            + "\nResume without these changes, or start a new run with another --out."
        )


def set_aside(folder: Path, step: int) -> list[str]:
    """Move the checkpoints after `step` to `FOLDER-after-STEP`, in all processes at once.

    A run that goes on from an earlier step makes its own later ones; nothing is deleted. Where one
    went on from that step before, `FOLDER-after-STEP-2` is next.
    """
    later = [p for p in folder.iterdir() if p.name.isdigit() and int(p.name) > step]
    multihost_utils.sync_global_devices("all have read")
    if later and jax.process_index() == 0:
        aside = _unused(folder.with_name(f"{folder.name}-after-{step}"))
        aside.mkdir()
        for path in later:
            shutil.move(path, aside / path.name)
    multihost_utils.sync_global_devices("set aside")
    return sorted(path.name for path in later)


def check_room(folder: Path, state: TrainState) -> None:
    """DiskFull where `folder` has no room for one checkpoint of `state`, which may hold no arrays.

    Compressed, a fresh state takes less than its arrays do: half of them is what must fit.
    """
    size = sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(state))
    free = shutil.disk_usage(folder).free
    if free < size / 2:
        raise DiskFull(
            f"{folder} has room for {free / 2**20:.1f} MiB, a checkpoint takes about "
            f"{size / 2**20:.1f} MiB: make room, or choose another --out"
        )


def _unused(folder: Path) -> Path:
    others = (folder.with_name(f"{folder.name}-{number}") for number in itertools.count(2))
    return next(path for path in itertools.chain([folder], others) if not path.exists())


def _fixed(config: Config) -> dict[str, Any]:
    """What a saved state depends on; the rest may change when a run goes on."""
    found = config.to_json()
    return {
        "model": found["model"],
        "data": {k: v for k, v in found["data"].items() if k not in ("loader", "prefetch")},
        "compute": {"remat_every (layers in a group)": group(config)},  # parameters are kept so
        "optimizer": {"kind": config.optimizer.kind},
        "run": {"seed": config.run.seed},
    }
