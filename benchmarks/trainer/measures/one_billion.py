"""About a billion parameters at 2048 steps: attention by cuDNN and XLA, scan and unroll."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.trainer import cases
from benchmarks.trainer.row import Row, Size
from benchmarks.trainer.throughput import Forms
from reference_trainer.run.presets import PRESETS

SECONDS = {"gpu": 110}


def measure(size: Size) -> Iterator[Row]:
    config = PRESETS["h200_1b"]
    if size.quick:
        config = cases.shrunk(config)
    # The scores of 16 rows at once take 4 GB a layer: the same batch, in four parts.
    xla = config.replace(compute={"attention": "xla"}, optimizer={"accumulate": 4})
    forms = Forms(size, steps=size.pick(1, 1, 2))
    yield from forms.add("cudnn scanned", config.replace(compute={"layers": "scan"}))
    yield from forms.memory("cudnn scanned")
    yield from forms.add("cudnn unrolled", config, ">= 40")
    yield from forms.compared(("cudnn scanned", "cudnn unrolled"), ">= 0.85")
    yield from forms.add("xla unrolled", xla)
    yield from forms.compared(("cudnn unrolled", "xla unrolled"))
    yield from forms.add("xla scanned", xla.replace(compute={"layers": "scan"}))
    yield from forms.compared(("xla scanned", "xla unrolled"))
