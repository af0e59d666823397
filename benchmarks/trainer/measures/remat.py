"""Memory and time of a step that computes activations again on the way back, layers scanned."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.trainer import cases, clock
from benchmarks.trainer.row import Row, Size
from reference_trainer.run.presets import PRESETS

SECONDS = {"cpu": 240, "gpu": 60}
KINDS = ("none", "dots", "full")


def measure(size: Size) -> Iterator[Row]:
    config = size.pick(
        cases.small(depth=2),
        cases.small(width=256, depth=8, length=512, batch=8),
        PRESETS["h200_124m"].replace(data={"batch": 8}, compute={"attention": "xla"}),
    ).replace(compute={"layers": "scan"})
    configs = {kind: config.replace(compute={"remat": kind}) for kind in KINDS}
    needed = {kind: cases.temporary(each) for kind, each in configs.items()}
    note = f"without: {needed['none'] / cases.MIB:.0f} MiB"
    targets = size.pick({}, {"dots": "<= 0.4", "full": "<= 0.3"}, {})
    for kind in KINDS[1:]:
        ratio = needed[kind] / needed["none"]
        yield Row(f"temporary memory, remat {kind} / none", ratio, "x", targets.get(kind, ""), note)
    timed = config.replace(data={"batch": 1}) if size.platform == "cpu" else config
    calls = {
        kind: cases.Training(timed.replace(compute={"remat": kind}), size.pick(1, 1, 3))
        for kind in KINDS
    }
    best = clock.best(calls, size.rounds)
    for kind in KINDS[1:]:
        yield Row(f"time of a step, remat {kind} / none", best[kind] / best["none"], "x")
