"""What fixing a finding saves: only where the loop that pays for it was counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gotcha_sanitizer.explain.savings import saving
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.reporters import text
from gotcha_sanitizer.run.record import Run, fold
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.turn_counts import Counted
from tests.sanitizer import records

READ = Finding("host-read-every-step", "`float` waits", Site("train.py", 44), seconds=2.0)
AGAIN = Finding(
    "recompile",
    "again",
    Site("train.py", 44),
    function="step",
    cause="new-function",
    count=3,
    seconds=2.0,
)


def at(step: int, second: float, line: int = 40) -> records.Json:
    turn = {"name": "step", "value": step, "path": "train.py", "line": line}
    sample = {"event": "memory", "at": second, "bytes": 1, "arrays": 1, "resident": 1}
    return {**sample, "turn": turn}


def run(*events: records.Json) -> Run:
    return fold([records.start(), at(0, 1.0), at(100, 5.0), at(200, 10.0), *events])


def test_turns_are_counted_until_they_begin_again():
    counted = Counted()
    for value in (3, 10, 99):
        counted.take(value)
    assert counted == Counted(96, 99)
    counted.take(0)
    assert not counted.whole


def test_a_read_at_each_turn():
    found = saving(READ, run())
    assert found is not None and found.seconds == pytest.approx(100.0) and found.turns == 200
    assert str(found) == (
        "about 1 min 40 s in 10,000 iterations of the loop at train.py:40 "
        "(2.0 s in the 200 iterations seen)"
    )


def test_the_innermost_loop_pays():
    inner = [at(0, 1.0, 42), at(90, 2.0, 42), at(100, 3.0, 42)]
    found = saving(READ, run(*inner))
    assert found is not None and found.loop.line == 42 and found.turns == 100
    below = Finding("x", "", Site("train.py", 30), seconds=1.0)
    assert saving(below, run(*inner)) is None  # above both loops, and there are two


@pytest.mark.parametrize(
    "events",
    [
        [],
        [at(0, 1.0), at(20, 2.0)],
        [at(0, 1.0), at(99, 2.0), at(0, 3.0)],
        [at(0, 1.0), at(5_000_000, 2.0)],
    ],
)
def test_without_turns_or_worth_nothing_is_said(events: list[records.Json]):
    assert saving(READ, fold([records.start(), *events])) is None


def test_compiles_that_have_ended_cost_nothing_more():
    def compiled(second: float) -> dict[str, Any]:
        return records.program(2, second, seconds={"compile": 0.1})

    early, late = run(compiled(2.0)), run(compiled(9.5))
    assert saving(AGAIN, early) is None
    assert saving(AGAIN, late) is not None


@pytest.mark.parametrize(("cause", "count", "said"), [("shape", 40, False), ("shape", 190, True)])
def test_sizes_from_a_range_come_to_an_end(cause: str, count: int, said: bool):
    late = run(records.program(2, 9.5, seconds={"compile": 0.1}))
    found = saving(replace(AGAIN, cause=cause, count=count), late)
    assert (found is not None) == said


def test_the_report_says_so():
    whole = run(records.program(2, 9.5))
    whole.findings["a"] = READ
    shown = " ".join(text.render(whole, Options()).split())
    assert "saves: about 1 min 40 s in 10,000 iterations of the loop at train.py:40" in shown
