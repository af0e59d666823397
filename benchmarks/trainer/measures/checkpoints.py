"""How long a save holds the training up, in the background and not. Wall clock, as disks wait."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import jax

from benchmarks.trainer import cases
from benchmarks.trainer.row import Row, Size
from reference_trainer import parallel
from reference_trainer.config import Config
from reference_trainer.run import report
from reference_trainer.train import state as states
from reference_trainer.train.checkpoint import Checkpoints, Saved
from reference_trainer.train.state import TrainState

SECONDS = {"cpu": 120}


def measure(size: Size) -> Iterator[Row]:
    config = cases.small(width=size.pick(64, 384, 384), depth=size.pick(2, 4, 4))
    config = config.replace(model={"head_width": 32})
    state = states.create(config, parallel.device_mesh())
    found: dict[bool, list[float]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as folder:
        for i in range(size.rounds + 1):
            for kind, seconds in found.items():
                seconds.append(_blocked(state, config, Path(folder, f"{kind}-{i}"), kind))
    background, waiting = min(found[True][1:]), min(found[False][1:])  # the first warms up
    megabytes = sum(report.sizes(state).values()) / 1e6
    yield Row(
        "blocked by a save, async / sync",
        background / waiting,
        "x",
        size.pick("", "<= 0.4", ""),
        f"{background * 1e3:.0f} and {waiting * 1e3:.0f} ms wall, {megabytes:.0f} MB",
    )


def _blocked(state: TrainState, config: Config, folder: Path, asynchronous: bool) -> float:
    """Seconds until training could go on."""
    jax.block_until_ready(state)
    metadata = Saved(1, config.to_json(), {"next_index": 1}, 0.0, {})
    with Checkpoints(folder, asynchronous=asynchronous) as checkpoints:
        start = time.perf_counter()
        checkpoints.save(state, metadata)
        return time.perf_counter() - start
