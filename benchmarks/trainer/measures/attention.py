"""Memory of a step with attention in chunks, against all scores at once."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.trainer import cases
from benchmarks.trainer.row import Row, Size

SECONDS = {"cpu": 120}


def measure(size: Size) -> Iterator[Row]:
    config = size.pick(
        cases.small(depth=1, length=256, batch=1),
        cases.small(width=128, length=4096, batch=1),
        cases.small(),
    ).replace(compute={"layers": "scan", "remat": "full"})
    xla, chunked = (
        cases.temporary(config.replace(compute={"attention": kind})) for kind in ("xla", "chunked")
    )
    yield Row(
        f"temporary memory, chunked / xla attention, L={config.data.length}",
        chunked / xla,
        "x",
        size.pick("", "<= 0.25", ""),
        f"xla: {xla / cases.MIB:.0f} MiB; scanned, remat full",
    )
