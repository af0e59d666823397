"""GPT-2 of 124M at 1024 steps: attention by cuDNN and XLA, scan and unroll."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.trainer import cases
from benchmarks.trainer.row import Row, Size
from benchmarks.trainer.throughput import Forms
from reference_trainer.run.presets import PRESETS

SECONDS = {"gpu": 150}


def measure(size: Size) -> Iterator[Row]:
    config = PRESETS["h200_124m"]
    if size.quick:
        config = cases.shrunk(config)
    # All scores of 64 rows at once do not fit: the same batch, in four parts.
    xla = config.replace(compute={"attention": "xla"}, optimizer={"accumulate": 4})
    forms = Forms(size, steps=size.pick(1, 1, 2))
    yield from forms.add("cudnn unrolled", config, ">= 30")
    yield from forms.memory("cudnn unrolled")
    yield from forms.add("cudnn scanned", config.replace(compute={"layers": "scan"}))
    yield from forms.compared(("cudnn scanned", "cudnn unrolled"), ">= 0.85")
    # Scanned forms compile in a quarter of the time: these pairs come before what may be cut off.
    scanned = xla.replace(compute={"layers": "scan"})
    yield from forms.add("xla scanned", scanned)
    yield from forms.compared(("cudnn scanned", "xla scanned"), ">= 1.4")
    yield from forms.add("xla unrolled", xla)
    yield from forms.compared(("cudnn unrolled", "xla unrolled"), ">= 1.4")
