"""Layers scanned and unrolled: seconds to compile, and to run."""

from __future__ import annotations

from collections.abc import Iterator

import jax

from reference_trainer.bench import cases, clock
from reference_trainer.bench.row import Row, Size
from reference_trainer.config import Config

SECONDS = {"cpu": 120}


def measure(size: Size) -> Iterator[Row]:
    depth = size.pick(2, 24, 24)
    kinds: dict[str, Config] = {
        kind: cases.small(depth=depth).replace(compute={"layers": kind})
        for kind in ("scan", "unroll")
    }
    steady = clock.best({kind: cases.Training(kinds[kind], 5) for kind in kinds}, size.rounds)
    first = clock.best(
        {kind: lambda kind=kind: _compile(kinds[kind]) for kind in kinds}, size.pick(1, 5, 5), warm=False
    )
    note = f"{first['scan']:.1f} and {first['unroll']:.1f} s, N={depth}"
    target = size.on("cpu", size.pick("", "<= 0.5", ""))
    yield Row("trace and compile, scan / unroll", first["scan"] / first["unroll"], "x", target, note)
    yield Row("a step, scan / unroll", steady["scan"] / steady["unroll"], "x", note="D64 B4 L64")


def _compile(config: Config) -> None:
    jax.clear_caches()  # what the other one has traced would be found there
    cases.compiled(config)
