"""The schemas say what is written: of real runs, and of the JSON report."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gotcha_lint.registry import rules
from gotcha_sanitizer.catalogue import names
from gotcha_sanitizer.cli import main
from gotcha_sanitizer.explain.recompile_causes import CAUSES
from gotcha_sanitizer.run.record import fold, read, summary
from tests.sanitizer import records
from tests.sanitizer.pythons import interpreters
from tests.sanitizer.support import run

PROGRAM = """
import time
import jax, jax.numpy as jnp

W = jnp.ones((1024, 512))

@jax.jit
def total(x):
    return x.sum()

@jax.jit
def step(x):
    return total(x @ W)

for n in (3, 5, 6, 7, 9):
    float(step(jnp.ones((n, 1024))))
for n in range(4):
    b = jnp.full(8, float(n))
    jax.jit(lambda p: (p * b).sum())(jnp.ones(8))
jax.value_and_grad(lambda p: (p * p).sum())(jnp.ones(3))
step.lower(jnp.ones((4, 1024))).compile()
"""


def schema(name: str) -> Draft202012Validator:
    whole = json.loads((files("gotcha_sanitizer") / "schemas" / name).read_text("utf-8"))
    Draft202012Validator.check_schema(whole)
    return Draft202012Validator(whole)


def problems(validator: Draft202012Validator, value: Any) -> list[str]:
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(value)]


@pytest.mark.parametrize("python", interpreters())
def test_a_real_record_is_valid(python: str, tmp_path: Path):
    (tmp_path / "train.py").write_text(PROGRAM)
    record = tmp_path / "run.jsonl"
    result = run(tmp_path / "train.py", record, python=interpreters()[python])
    assert result.code == 0, result.err
    events = list(read(record))
    kinds = {event["event"] for event in events}
    assert {"start", "trace", "lower", "compile", "program", "finding", "summary"} <= kinds
    assert any("inlined" in event for event in events)
    steps = [e for e in events if e["event"] == "program" and e["function"] == "step"]
    assert {e["constants"]["bytes"] for e in steps} == {1024 * 512 * 4}
    assert steps[0]["constants"]["largest"] == [{"variable": "W", "bytes": 1024 * 512 * 4}]
    assert [e.get("ahead", False) for e in steps] == [False] * 5 + [True]
    validator = schema("run.json")
    for event in events:
        assert problems(validator, event) == [], event
    assert {"recompile", "large-constant-captured"} <= {f.name for f in result.problems}


@pytest.mark.parametrize("python", interpreters())
def test_the_summary_can_be_made_anew(python: str, tmp_path: Path):
    (tmp_path / "train.py").write_text(PROGRAM)
    record = tmp_path / "run.jsonl"
    run(tmp_path / "train.py", record, python=interpreters()[python])
    events = list(read(record))
    again = summary(fold(event for event in events if event["event"] != "summary"))
    assert {key: events[-1][key] for key in again} == again


def test_records_of_the_tests_are_valid():
    validator = schema("run.json")
    for event in records.storm():
        assert problems(validator, event) == [], event


def test_unknown_events_are_allowed_and_wrong_ones_are_not():
    validator = schema("run.json")
    assert not problems(validator, {"event": "of a later version", "what": 1})
    assert problems(validator, {"at": 1.0})
    assert problems(validator, {"event": "memory", "at": 1.0})
    assert problems(validator, {**records.finding(), "more": 1})
    assert problems(validator, {**records.program(1, 1.0), "causes": ["wrong"]})


def test_the_causes_are_those_of_the_events():
    whole = json.loads((files("gotcha_sanitizer") / "schemas" / "run.json").read_text("utf-8"))
    assert set(whole["$defs"]["cause"]["enum"]) == set(CAUSES)


def test_the_report_is_valid(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = str(records.write(tmp_path / "run.jsonl", records.storm()))
    assert main(["report", file, file, "--format", "json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert problems(schema("report.json"), whole) == []
    for found in whole["findings"]:
        assert problems(schema("run.json"), {"event": "finding", **found}) == []


def test_rules_name_checks_and_causes_that_exist():
    """`confirmed_by` of the linter's rules: what --with-run matches."""
    for rule in rules().values():
        for check, cause in rule.confirmed_by:
            assert check in names() or check == rule.name, f"{rule.name}: no check {check}"
            if check == "recompile":
                assert cause in CAUSES, f"{rule.name}: no cause {cause}"
