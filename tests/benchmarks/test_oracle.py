"""The oracle on three small programs: what is predicted stands beside what was recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.oracle import programs, report
from benchmarks.oracle.comparing import Compared, Outcome, compare, root
from benchmarks.oracle.programs import Program
from benchmarks.oracle.recording import Recorded, digest, record

pytest.importorskip("jax")

HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n"
SIZES = """
TABLE = jnp.ones((32, 8))

@jax.jit
def look_up(ids):
    return TABLE[ids]

for size in range(3, 20):
    look_up(np.zeros(size, np.int32))
"""
ONCE = """
@jax.jit
def double(x):
    return x * 2

for _ in range(3):
    double(jnp.ones(4))
"""
FAILS = """
@jax.jit
def double(x):
    return x * 2

for number in range(9):
    double(np.ones(number + 1))
    open("missing")
"""
SMALL = [
    Program.of("small", name, HEAD + text)
    for name, text in (("sizes", SIZES), ("once", ONCE), ("fails", FAILS))
]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


@pytest.fixture(scope="module")
def outcomes(kept: Path) -> list[Outcome]:
    return [compare(each) for each in record(SMALL, kept, limit=500, jobs=1)]


def test_prediction_and_truth_of_each_function(outcomes: list[Outcome]) -> None:
    sizes, once, fails = (outcome.functions[0] for outcome in outcomes)
    assert (sizes.function, sizes.ran, sizes.missing) == ("look_up", 17, ())
    assert sizes.main == (("shape", "ids"),)
    assert sizes.predicted.startswith("one per iteration of the loop")
    assert sizes.reasons == (("shape", "ids"),)
    assert sizes.bytes == sizes.predicted_bytes == 32 * 8 * 4
    assert (once.ran, once.predicted, once.why) == (1, "1", ())
    assert fails.ended and fails.ran == 1 and fails.many


def test_the_numbers_and_what_they_leave_out(outcomes: list[Outcome]) -> None:
    found = report.summary(outcomes)
    assert found["disagreements"] == []
    counts = found["all"]
    assert (counts["programs"], counts["ended with an error"]) == (3, 1)
    assert counts["more often: predicted and why"] == counts["more often"] == 1
    assert (counts["once"], counts["once: the program ended early"]) == (2, 1)
    assert counts["constants: bytes predicted"] == counts["constants"] == 1
    assert counts["eager operations"] > 0
    assert "100.0 %" in report.shares(counts)
    assert "small" in report.table(found)


def test_a_record_is_kept(kept: Path, outcomes: list[Outcome]) -> None:
    told = kept / digest(SMALL[0]) / "end.json"
    before = told.stat().st_mtime_ns
    again = list(record(SMALL, kept, limit=1, jobs=1))
    assert told.stat().st_mtime_ns == before
    assert [each.end for each in again] == [o.recorded.end for o in outcomes]
    assert json.loads(told.read_text("utf-8")) == {"end": ""}


def test_only_records_that_are_kept(tmp_path: Path) -> None:
    assert list(record(SMALL, tmp_path, limit=1, jobs=1, run=False)) == []


def disagreeing(**parts: object) -> Iterator[str]:
    of = Compared("set", "name", "a.py:3", "step", 1, (), 0, ())
    recorded = Recorded(SMALL[0], Path(), Path(), "")
    changed = replace(of, **parts)  # type: ignore[arg-type]
    yield from report.disagreements([Outcome(recorded, (changed,), 0, ())])


def test_disagreements_in_one_line_each(outcomes: list[Outcome]) -> None:
    sizes, once, _ = (outcome.functions[0] for outcome in outcomes)
    shape = ((("shape", "x"),),)
    assert list(disagreeing()) == ["not listed: set/name, a.py:3 step: ran 1"]
    assert list(disagreeing(ran=2, why=shape, rows=once.rows)) == [
        "missed: set/name, a.py:3 step: ran 2 (shape of x); predicted 1"
    ]
    (line,) = disagreeing(ran=2, why=((("dtype", "x"),),), rows=sizes.rows, bytes=32 * 8 * 4)
    assert line.startswith("another cause: set/name, a.py:3 step: ran 2 (dtype of x); predicted")
    assert [line.partition(":")[0] for line in disagreeing(rows=sizes.rows)] == [
        "predicted more often",
        "bytes",
    ]


@pytest.mark.parametrize(
    ("path", "name"),
    [("batch['x'][0].y", "batch"), ("x", "x"), ("argument 0", ""), ("*args[1]", "args")],
)
def test_the_argument_of_a_path(path: str, name: str) -> None:
    assert root(path) == name


def test_at_least_300_programs_are_of_this_repository() -> None:
    found = list(programs.own())
    assert len(found) >= 300
    assert {each.set for each in found} == set(programs.OWN)
    assert len({digest(each) for each in found}) > 300


def test_scripts_and_notebooks_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import helper\n", "utf-8")
    (tmp_path / "helper.py").write_text("x = 1\n", "utf-8")
    cells = [{"cell_type": "code", "source": ["%pip install x\n", "y = 1"]}]
    (tmp_path / "b.ipynb").write_text(json.dumps({"cells": cells}), "utf-8")
    found = {each.name: each for each in programs.given(tmp_path)}
    assert set(found["a.py"].files) == {"a.py", "helper.py"}
    assert found["b.ipynb"].files == {"b.py": "pass  # pip install x\ny = 1\n"}
