"""Runs of days: the record, the samples and the memory of a session stay within bounds.

Hours of steps are run in seconds: the session and its ticker have a clock that is set forward.
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gotcha_sanitizer.old_python import UNSEEN
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run.folded import folded
from gotcha_sanitizer.run.record import Run, fold, read, summary
from gotcha_sanitizer.run.recording import Recording
from gotcha_sanitizer.run.session import Session
from gotcha_sanitizer.run.thinning import Thinning
from gotcha_sanitizer.run.ticker import Ticker
from gotcha_sanitizer.values.finding import as_dict
from tests.sanitizer import records
from tests.sanitizer.test_schema import problems, schema

HOUR = 3600


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Still(Ticker):
    """Without a thread: the test calls the jobs."""

    def start(self) -> None:
        pass


def _rows(thinning: Thinning, event: Callable[[float], dict[str, Any]], hours: int) -> int:
    kept = (thinning.keeps(event(float(second))) for second in range(hours * HOUR))
    return sum(row is not None for row in kept)


def reads(at: float) -> dict[str, Any]:
    return {"event": "reads", "at": at, "rows": [records.READ | {"count": int(at)}]}


def memory(at: float) -> dict[str, Any]:
    return {"event": "memory", "at": at, "bytes": 1, "arrays": 1, "resident": 1}


def test_rows_grow_with_the_logarithm_of_the_run():
    ten, hundred = (_rows(Thinning(), reads, hours) for hours in (10, 100))
    assert hundred - ten < 600 < ten < 2000
    ten, hundred = (_rows(Thinning(), memory, hours) for hours in (10, 100))
    assert hundred - ten < 600 < ten < 3000


def test_reads_that_were_held_back_are_not_lost():
    thinning = Thinning()
    for at in (1000.0, 1001.0, 1002.0):
        kept = thinning.keeps(reads(at))
    assert kept is None
    rest = thinning.rest(1003.0)
    assert rest is not None and rest["rows"][0]["count"] == 1002
    assert thinning.rest(1004.0) is None


def test_the_samples_of_memory_that_are_kept_are_bounded():
    run = Run()
    for second in range(50_000):
        run.add(memory(float(second)))
    assert len(run.memory) <= 4000
    assert run.memory[0]["at"] == 0.0 and run.memory[-1]["at"] == 49_999.0


def test_a_folded_run_is_the_same_run():
    run = fold(records.storm())
    event = json.loads(json.dumps(folded(run)))
    again = fold([records.start(), event])
    assert summary(again) == summary(run)
    assert again.rows == run.rows and again.reads == run.reads
    assert [as_dict(f) for f in again.problems] == [as_dict(f) for f in run.problems]
    assert again.degraded == run.degraded and again.only_inlined == run.only_inlined
    assert problems(schema("run.json"), event) == []
    after = records.program(9, 200.0)
    run.add(after)
    again.add(after)
    assert summary(again) == summary(run)


@pytest.fixture
def written(tmp_path: Path) -> Iterator[tuple[Recording, Path, list[str]]]:
    path = tmp_path / "run.jsonl"
    said: list[str] = []
    made = Recording(str(path), records.start, lambda: 5.0, said.append, most=50_000)
    made.open()
    yield made, path, said
    made.close()


def test_a_storm_does_not_fill_the_disk(written: tuple[Recording, Path, list[str]]):
    recording, path, said = written
    largest = 0
    for number in range(1, 3000):
        recording.add(records.program(number, float(number)))
        if number % 100 == 0:
            recording.flush()
            largest = max(largest, path.stat().st_size)
    recording.end(0.0)
    recording.close()
    assert largest < 150_000 and not said
    run = fold(read(path))
    assert run.complete and run.count("programs") == 2999
    assert run.start["time"] == records.start()["time"]
    assert summary(run) == summary(recording.run)
    assert not list(path.parent.glob("*.part"))


def test_where_a_file_cannot_be_replaced_it_grows(
    written: tuple[Recording, Path, list[str]], monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object) -> None:
        raise PermissionError("in use")

    monkeypatch.setattr(os, "replace", refuse)
    recording, path, said = written
    for number in range(1, 500):
        recording.add(records.program(number, float(number)))
    recording.close()
    assert path.stat().st_size > 100_000 and not said
    assert fold(read(path)).count("programs") == 499
    assert not list(path.parent.glob("*.part"))


def soak(tmp_path: Path, hours: int) -> tuple[Session, Path, list[int]]:
    """A loop that trains and reads its loss, one turn a second; gives the objects at each hour."""
    jax = pytest.importorskip("jax")
    clock, path = Clock(), tmp_path / "run.jsonl"
    session = Session(Options(quiet=True, log_path=str(path)), (), clock, Still(clock))
    session.start()
    objects: list[int] = []
    try:
        step = jax.jit(lambda w: (w * 0.999, w.sum()))
        w = jax.numpy.ones(16)
        for second in range(hours * HOUR):
            w, loss = step(w)
            float(loss)
            clock.now += 1.0
            session.ticker.turn()
            if second % HOUR == HOUR - 1:
                gc.collect()
                objects.append(len(gc.get_objects()))
    finally:
        session.stop()
    return session, path, objects


def _bounded(session: Session, path: Path) -> None:
    run = fold(read(path))
    assert run.complete and not run.degraded.keys() - UNSEEN.keys()
    assert path.stat().st_size < 2**20
    assert len(session.run.memory) < 2000
    assert sum(event["event"] == "memory" for event in read(path)) < 2000


def test_an_hour_of_steps(tmp_path: Path):
    session, path, _ = soak(tmp_path, 1)
    _bounded(session, path)
    assert session.run.last >= HOUR
    (row,) = session.run.reads.values()
    assert row["count"] == HOUR


@pytest.mark.slow
def test_ten_hours_of_steps(tmp_path: Path):
    session, path, objects = soak(tmp_path, 10)
    _bounded(session, path)
    assert objects[-1] - objects[0] < 5000, objects
