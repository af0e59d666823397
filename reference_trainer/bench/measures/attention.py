"""Attention in chunks and by cuDNN, against all scores at once: memory, and speed on a GPU."""

from __future__ import annotations

from collections.abc import Iterator

from reference_trainer import machine
from reference_trainer.bench import cases, clock
from reference_trainer.bench.row import Row, Size, unmeasured
from reference_trainer.config import Config
from reference_trainer.presets import PRESETS

SECONDS = {"cpu": 120, "gpu": 75}


def measure(size: Size) -> Iterator[Row]:
    config = size.pick(
        cases.small(depth=1, length=256, batch=1),
        cases.small(width=128, length=4096, batch=1),
        PRESETS["h200_124m"].replace(data={"length": 4096, "batch": 4}),
    ).replace(compute={"layers": "scan", "remat": "full"})
    kinds = {
        kind: config.replace(compute={"attention": kind}) for kind in ("xla", "chunked", "cudnn")
    }
    asked = {kind: cases.temporary(kinds[kind]) for kind in ("xla", "chunked")}
    length = config.data.length
    yield Row(
        f"temporary memory, chunked / xla attention, L={length}",
        asked["chunked"] / asked["xla"],
        "x",
        size.pick("", "<= 0.25", ""),
        f"xla: {asked['xla'] / cases.MIB:.0f} MiB; scanned, remat full",
    )
    if size.platform == "gpu":
        yield from _speed(kinds, size)


def _speed(kinds: dict[str, Config], size: Size) -> Iterator[Row]:
    name = f"tokens/s, cudnn / xla attention, L={kinds['xla'].data.length}"
    kinds["cudnn"], reason = machine.fitting_attention(kinds["cudnn"])
    try:
        best = clock.best({kind: cases.Training(kinds[kind], 3) for kind in kinds}, size.rounds)
    except Exception as error:
        yield unmeasured(name, error)
        return
    target = size.pick("", "", ">= 3")
    yield Row(name, best["xla"] / best["cudnn"], "x", target, reason)
    yield Row(name.replace("cudnn", "chunked"), best["xla"] / best["chunked"], "x")
