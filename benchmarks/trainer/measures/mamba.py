"""A Mamba-2 of 130M parameters, 24 layers of width 768, at 1024 steps, in bfloat16."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.trainer import cases
from benchmarks.trainer.row import Row, Size
from benchmarks.trainer.throughput import Forms
from reference_trainer.run.presets import PRESETS

SECONDS = {"gpu": 110}


def measure(size: Size) -> Iterator[Row]:
    config = PRESETS["h200_124m"].replace(
        model={"depth": 24, "pattern": ("ssm",), "state": 128},
        compute={"attention": "xla", "layers": "scan", "ssm": "kernel", "ssm_chunk": 32},
        data={"batch": 32},
    )
    if size.quick:
        config = cases.shrunk(config)
    forms = Forms(size, steps=size.pick(1, 1, 3))
    yield from forms.add("kernel scanned", config)
    yield from forms.add("kernel unrolled", config.replace(compute={"layers": "unroll"}), ">= 20")
    yield from forms.add(
        "ssd scanned", config.replace(compute={"ssm": "matrices", "ssm_chunk": 128})
    )
    yield from forms.compared(("kernel scanned", "kernel unrolled"))
    yield from forms.compared(("kernel scanned", "ssd scanned"), ">= 1.2")
