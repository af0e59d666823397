"""The 124M shape at 4096 steps: attention by cuDNN, in chunks, and with all scores at once."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.trainer import cases
from benchmarks.trainer.row import Row, Size
from benchmarks.trainer.throughput import Forms
from reference_trainer.run.presets import PRESETS

SECONDS = {"gpu": 60}


def measure(size: Size) -> Iterator[Row]:
    config = PRESETS["h200_124m"].replace(data={"length": 4096, "batch": 4})
    if size.quick:
        config = cases.shrunk(config)
    config = config.replace(compute={"layers": "scan", "remat": "full"})
    forms = Forms(size, steps=size.pick(1, 1, 3))
    for kind in ("cudnn", "xla", "chunked"):
        yield from forms.add(kind, config.replace(compute={"attention": kind}))
    yield from forms.compared(("cudnn", "xla"), ">= 3")
    yield from forms.compared(("chunked", "xla"))
    needed = {name: train.memory()["temporary"] for name, train in forms.running.items()}
    for kind in ("cudnn", "chunked"):
        if kind in needed and "xla" in needed:
            note = f"xla: {needed['xla'] / cases.MIB:.0f} MiB"
            yield Row(
                f"temporary memory, {kind} / xla", needed[kind] / needed["xla"], "x", "", note
            )
