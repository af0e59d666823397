"""Records of several hosts: the first program that they did not compile alike is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gotcha_sanitizer.run.merge import divergence, merge
from gotcha_sanitizer.run.record import Run, fold
from tests.sanitizer import records
from tests.sanitizer.records import Json, program, start
from tests.sanitizer.support import run as run_program


def host(index: int, *events: Json, pid: int = 7) -> list[Json]:
    told = {"event": "host", "at": 1.0, "index": index, "count": 3}
    return [start(pid=pid + index), told, *events]


def runs(*hosts: list[Json]) -> list[Run]:
    return [fold(events) for events in hosts]


STEP = [program(1, 1.0), program(2, 2.0)]


def test_hosts_that_compile_alike_do_not_differ():
    late = [program(1, 1.5, line=99), program(2, 9.0, seconds={"load": 0.1}, cached=True)]
    assert divergence(runs(host(0, *STEP), host(2, *late), host(1, *STEP))) == ""


def test_the_first_difference_is_named_by_function_shapes_and_line():
    other = [program(1, 1.0), program(3, 2.0, line=50), program(2, 3.0)]
    told = divergence(runs(host(1, *other), host(0, *STEP)))
    assert told == (
        "after 1 program in common, "
        "host 0 compiled `step` (x: float32[8,2]) at src/train.py:41, "
        "but host 1 compiled `step` (x: float32[8,3]) at src/train.py:50"
    )


def test_a_host_that_stopped_is_named():
    told = divergence(runs(host(0, *STEP), host(1, *STEP[:1])))
    assert told.endswith("at src/train.py:41, but host 1 compiled nothing more")


def test_what_is_each_hosts_own_is_left_out():
    own = [
        program(5, 3.0, eager="op", owner="jax", function="add"),
        program(6, 4.0, seconds={"trace": 0.1}),
    ]
    assert divergence(runs(host(0, *STEP, *own), host(1, *STEP))) == ""
    workers = [[start(pid=9), program(9, 1.0)], [start(pid=10)]]
    assert divergence(runs(*workers)) == ""
    assert merge(runs(host(0, *STEP), host(1, *STEP), *workers)).divergence == ""


def test_the_report_tells(cli: Any, tmp_path: Path):
    names = ("a.jsonl", "b.jsonl")
    for name, events in zip(names, (host(0, *STEP), host(1, STEP[1])), strict=True):
        records.write(tmp_path / name, events)
    out = cli("report", *names)[1]
    assert "hosts differ, a probable hang: after 0 programs in common, host 0" in out
    whole = json.loads(cli("report", *names, "--format", "json")[1])
    assert whole["divergence"] in " ".join(out.split())
    assert "hosts differ" not in cli("report", names[0])[1]


def test_each_host_tells_its_number_to_its_record(tmp_path: Path):
    pytest.importorskip("jax")
    text = (
        "import jax\n"
        "jax.process_index, jax.process_count = lambda: 2, lambda: {count}\n"
        "jax.jit(lambda x: x)(1.0)\n"
    )
    for count in (1, 4):
        path = tmp_path / "train.py"
        path.write_text(text.format(count=count), "utf-8")
        result = run_program(path, tmp_path / "run.jsonl")
        assert result.code == 0, result.err
        known = {key: result.run.host.get(key) for key in ("index", "count")}
        assert known == ({"index": 2, "count": 4} if count > 1 else dict.fromkeys(known))
