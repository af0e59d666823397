"""GPT-2 of 124M at 1024 steps in float32, beside bfloat16; layers scanned."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.trainer import cases
from benchmarks.trainer.row import Row, Size
from benchmarks.trainer.throughput import Forms
from reference_trainer.run.presets import PRESETS

SECONDS = {"gpu": 70}


def measure(size: Size) -> Iterator[Row]:
    """cuDNN has no attention in float32, so that the first pair is what a user gives up in all,
    and the second what the type alone costs."""
    config = PRESETS["h200_124m"].replace(compute={"layers": "scan"})
    if size.quick:
        config = cases.shrunk(config)
    # All scores of 64 rows at once do not fit: the same batch, in four parts.
    xla = config.replace(compute={"attention": "xla"}, optimizer={"accumulate": 4})
    forms = Forms(size, steps=size.pick(1, 1, 2))
    yield from forms.add("float32 xla", xla.replace(compute={"dtype": "float32"}))
    yield from forms.add("bfloat16 cudnn", config)
    yield from forms.compared(("bfloat16 cudnn", "float32 xla"), ">= 2")
    yield from forms.add("bfloat16 xla", xla)
    yield from forms.compared(("bfloat16 xla", "float32 xla"), ">= 2")
