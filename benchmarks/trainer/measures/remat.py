"""Memory of a step that computes activations again on the way back, in a scan over layers."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.trainer import cases
from benchmarks.trainer.row import Row, Size
from reference_trainer.run.presets import PRESETS

SECONDS = {"cpu": 120, "gpu": 45}


def measure(size: Size) -> Iterator[Row]:
    config = size.pick(
        cases.small(depth=2),
        cases.small(width=256, depth=8, length=512, batch=8),
        PRESETS["h200_124m"].replace(data={"batch": 8}, compute={"attention": "xla"}),
    ).replace(compute={"layers": "scan"})
    asked = {
        kind: cases.temporary(config.replace(compute={"remat": kind}))
        for kind in ("none", "dots", "full")
    }
    note = f"without: {asked['none'] / cases.MIB:.0f} MiB"
    dots, full = size.pick(("", ""), ("<= 0.4", "<= 0.3"), ("", ""))
    yield Row("temporary memory, remat dots / none", asked["dots"] / asked["none"], "x", dots, note)
    yield Row("temporary memory, remat full / none", asked["full"] / asked["none"], "x", full, note)
