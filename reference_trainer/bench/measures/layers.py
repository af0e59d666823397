"""Layers scanned and unrolled: seconds to compile, and to run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import jax

from reference_trainer.bench import cases, clock
from reference_trainer.bench.row import Row, Size
from reference_trainer.config import Config

SECONDS = {"cpu": 300}
TIMES = 5  # steps in one measurement


def measure(size: Size) -> Iterator[Row]:
    depth = size.pick(2, 24, 24)
    kinds = {
        kind: cases.small(depth=depth).replace(compute={"layers": kind})
        for kind in ("scan", "unroll")
    }
    programs: dict[str, jax.stages.Compiled] = {}

    def make(kind: str) -> None:
        jax.clear_caches()  # what the other one has traced would be found there
        programs[kind] = cases.compiled(kinds[kind])

    makers = {kind: lambda kind=kind: make(kind) for kind in kinds}
    first = clock.best(makers, size.pick(1, 5, 5), warm=False)
    note = f"{first['scan']:.1f} and {first['unroll']:.1f} s, N={depth}"
    target = size.pick("", "<= 0.5", "")
    yield Row(
        "trace and compile, scan / unroll", first["scan"] / first["unroll"], "x", target, note
    )
    calls = {kind: _running(programs[kind], kinds[kind]) for kind in kinds}
    steady = clock.best(calls, size.rounds)
    yield Row("a step, scan / unroll", steady["scan"] / steady["unroll"], "x", note="D64 B4 L64")


def _running(program: jax.stages.Compiled, config: Config) -> Callable[[], object]:
    train = cases.Training(config)
    train.step = program  # not compiled again
    return clock.repeated(train, TIMES)
