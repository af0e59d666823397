"""From the start of Python to the end of the first step: the first time, and with the cache."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator

import jax

from benchmarks.trainer import cases, process
from benchmarks.trainer.row import Row, Size
from reference_trainer.run import kernels
from reference_trainer.run.presets import PRESETS

SECONDS = {"cpu": 300, "gpu": 70}


def measure(size: Size) -> Iterator[Row]:
    config, _ = kernels.fitting(
        size.pick(
            cases.small(depth=1),
            cases.small(depth=12),
            PRESETS["h200_124m"].replace(data={"batch": 8}),
        )
    )
    backend = jax.default_backend()
    clock = "cpu" if backend == "cpu" else "wall"
    cold, warm = [], []
    for _ in range(size.pick(1, 5, 1)):
        with tempfile.TemporaryDirectory() as folder:
            for found in (cold, warm):
                started = process.start(
                    "programs.first_step",
                    json.dumps(config.to_json()),
                    folder,
                    **process.same_platform(backend),
                )
                found.append(process.result(started)[clock])
    yield Row(
        "second start / first start, with the compile cache",
        min(warm) / min(cold),
        "x",
        size.pick("", "<= 0.5", "<= 0.3"),
        f"{min(warm):.1f} and {min(cold):.1f} s ({clock}), N={config.model.depth} unrolled",
    )
