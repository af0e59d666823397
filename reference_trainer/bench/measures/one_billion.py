"""A model of about a billion parameters at 2048 steps, in bfloat16 with cuDNN attention."""

from __future__ import annotations

from collections.abc import Iterator

from reference_trainer.bench import cases
from reference_trainer.bench.row import Row, Size
from reference_trainer.bench.throughput import Forms
from reference_trainer.presets import PRESETS

SECONDS = {"gpu": 90}


def measure(size: Size) -> Iterator[Row]:
    config = PRESETS["h200_1b"]
    if size.quick:
        config = cases.shrunk(config)
    forms = Forms(size, steps=size.pick(1, 1, 2))
    yield from forms.add("scanned", config.replace(compute={"layers": "scan"}))
    yield from forms.memory("scanned")
    yield from forms.add("unrolled", config, ">= 40")
    yield from forms.compared(("scanned", "unrolled"), ">= 0.85")
