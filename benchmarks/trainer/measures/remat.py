"""Memory and time of a step that computes activations again on the way back, layers scanned.

Also against plain layers, which keep what these always compute again: norms and GELUs.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import ExitStack
from unittest import mock

from benchmarks.trainer import cases, clock
from benchmarks.trainer.row import Row, Size
from reference_trainer.config import Config
from reference_trainer.model import backbone, layers, parts
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
    for kind in KINDS[1:]:
        target = size.pick("", "<= 0.3" if kind == "full" else "", "")
        ratio = needed[kind] / needed["none"]
        yield Row(f"temporary memory, remat {kind} / none", ratio, "x", target, note)
    plain = _plain(config)
    note, target = f"plain: {plain / cases.MIB:.0f} MiB", size.pick("", "<= 0.4", "")
    yield Row("temporary memory, remat dots / plain", needed["dots"] / plain, "x", target, note)
    timed = config.replace(data={"batch": 1}) if size.platform == "cpu" else config
    calls = {
        kind: cases.Training(timed.replace(compute={"remat": kind}), size.pick(1, 1, 3))
        for kind in KINDS
    }
    best = clock.best(calls, size.rounds)
    for kind in KINDS[1:]:
        yield Row(f"time of a step, remat {kind} / none", best[kind] / best["none"], "x")


def _plain(config: Config) -> int:
    """Of layers that keep all they compute, as they are usually written."""
    normed = inspect.unwrap(parts.normed)
    with ExitStack() as stack:
        for module in (backbone, parts):
            stack.enter_context(mock.patch.object(module, "normed", normed))
        stack.enter_context(mock.patch.object(layers, "again", lambda call: call))
        return cases.temporary(config)
