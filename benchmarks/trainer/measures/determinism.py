"""Whether two runs give the same bits on a GPU, with and without `compute.deterministic`; its cost.

Rows of one document each, of the 124M shape with four layers.
"""

from __future__ import annotations

from collections.abc import Iterator

import jax
import numpy as np

from benchmarks.trainer import cases, clock
from benchmarks.trainer.row import Row, Size
from reference_trainer import parallel
from reference_trainer.config import Config
from reference_trainer.run import kernels
from reference_trainer.run.presets import PRESETS
from reference_trainer.train import state as states

SECONDS = {"gpu": 80}
STEPS = 20
KINDS = {"deterministic": True, "as it is": False}


def measure(size: Size) -> Iterator[Row]:
    config = PRESETS["h200_124m"].replace(model={"depth": 4}, data={"batch": 16})
    if size.quick:
        config = cases.shrunk(config)
    config, _ = kernels.fitting(config.replace(compute={"layers": "scan"}))
    forms = {}
    for name, deterministic in KINDS.items():
        own = config.replace(compute={"deterministic": deterministic})
        forms[name] = cases.Training(own, size.pick(2, 2, STEPS))
        title = f"parameters that differ after {STEPS} steps, {name}"
        target = "<= 0" if deterministic else ""
        yield Row(title, _different(forms[name], own), "", target, "share of all, two runs")
    best = clock.best(forms, size.rounds)
    ratio = best["deterministic"] / best["as it is"]
    yield Row("time of a step, deterministic / as it is", ratio, "x")


def _different(train: cases.Training, config: Config) -> float:
    """Share of the parameters that two runs of the same program leave with other bits."""
    train()
    first = jax.device_get(train.state.params)
    # Another state for the same compiled step: what differs is what the device does.
    train.state = states.create(config, parallel.device_mesh())
    train()
    second = jax.device_get(train.state.params)
    pairs = list(zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True))
    return sum(int(np.sum(a != b)) for a, b in pairs) / sum(a.size for a, _ in pairs)
