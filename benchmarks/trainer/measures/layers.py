"""Layers scanned and unrolled: seconds to compile, and to run.

XLA compiles one kernel for all equal ones, so that 24 unrolled layers have no more of them than a
few; scanned ones have kernels of their own, with slices of what the layers keep. What grows with
unrolled layers is the rest: tracing, and the passes over the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import jax

from benchmarks.trainer import cases, clock
from benchmarks.trainer.row import Row, Size

SECONDS = {"cpu": 300}
TIMES = 5  # steps in one measurement


def measure(size: Size) -> Iterator[Row]:
    depth = size.pick(2, 24, 24)
    forms = _forms(depth)
    first = _compared(forms, size.pick(1, 5, 5))
    yield replace(first, target=size.pick("", "<= 0.5", ""))
    twice = _compared(_forms(2 * depth), size.pick(1, 2, 2))
    yield replace(twice, name=f"the same, N={2 * depth}")
    calls = {kind: clock.repeated(train, TIMES) for kind, train in forms.items()}
    steady = clock.best(calls, size.rounds)
    yield Row("a step, scan / unroll", steady["scan"] / steady["unroll"], "x", note="D64 B4 L64")


def _forms(depth: int) -> dict[str, cases.Training]:
    return {
        kind: cases.Training(cases.small(depth=depth).replace(compute={"layers": kind}))
        for kind in ("scan", "unroll")
    }


def _compared(forms: dict[str, cases.Training], rounds: int) -> Row:
    makers = {kind: lambda train=train: _compile(train) for kind, train in forms.items()}
    first = clock.best(makers, rounds, warm=False)
    depth = forms["scan"].config.model.depth
    note = f"{first['scan']:.1f} and {first['unroll']:.1f} s, N={depth}"
    return Row("trace and compile, scan / unroll", first["scan"] / first["unroll"], "x", note=note)


def _compile(train: cases.Training) -> None:
    jax.clear_caches()  # what the other one has traced would be found there
    train.step.lower(train.state, train.batch).compile()
