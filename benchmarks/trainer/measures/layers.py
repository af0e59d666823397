"""Layers scanned and unrolled: seconds to compile, and to run."""

from __future__ import annotations

from collections.abc import Iterator

import jax

from benchmarks.trainer import cases, clock
from benchmarks.trainer.row import Row, Size

SECONDS = {"cpu": 300}
TIMES = 5  # steps in one measurement


def measure(size: Size) -> Iterator[Row]:
    depth = size.pick(2, 24, 24)
    forms = {
        kind: cases.Training(cases.small(depth=depth).replace(compute={"layers": kind}))
        for kind in ("scan", "unroll")
    }
    makers = {kind: lambda train=train: _compile(train) for kind, train in forms.items()}
    first = clock.best(makers, size.pick(1, 5, 5), warm=False)
    note = f"{first['scan']:.1f} and {first['unroll']:.1f} s, N={depth}"
    target, ratio = size.pick("", "<= 0.5", ""), first["scan"] / first["unroll"]
    yield Row("trace and compile, scan / unroll", ratio, "x", target, note)
    calls = {kind: clock.repeated(train, TIMES) for kind, train in forms.items()}
    steady = clock.best(calls, size.rounds)
    yield Row("a step, scan / unroll", steady["scan"] / steady["unroll"], "x", note="D64 B4 L64")


def _compile(train: cases.Training) -> None:
    jax.clear_caches()  # what the other one has traced would be found there
    train.step.lower(train.state, train.batch).compile()
