"""The labelled programs fit their labels, and the scorer counts as its page says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.faults import labels as known
from benchmarks.faults import score as scorer
from benchmarks.faults.reports import read

PAIR = "faulty/jit-in-loop/001"


def report(path: str, line: int, **more: Any) -> dict[str, Any]:
    return {"name": "jit-in-loop", "path": path, "line": line, "severity": "warning", **more}


def scored(*reports: dict[str, Any]) -> scorer.Score:
    return scorer.score(read(json.dumps(reports), "gotcha"))


def test_each_program_has_a_label_and_each_label_a_program():
    rows = known.labels()
    files = {
        path.relative_to(known.PROGRAMS).as_posix()
        for path in known.PROGRAMS.rglob("*")
        if path.suffix in (".py", ".ipynb")
    }
    assert {row.path for row in rows} == files
    assert len(rows) == len(files)


def test_each_fault_has_a_place_and_a_mended_twin():
    cases = known.cases(known.labels())
    assert len(cases) > 100
    for case in cases:
        assert (known.PROGRAMS / known.fixed(case)).exists(), case.name
        assert known.fixed(case) != case.name
        for label in case.labels:
            text = (known.PROGRAMS / label.path).read_text("utf-8")
            assert label.places and label.verified.startswith(("executed", "reasoned")), label
            assert all(1 <= each.line <= text.count("\n") + 1 for each in label.places), label


def test_a_report_at_the_place_finds_the_fault():
    assert scored(report(f"{PAIR}_bad.py", 24)).found == {"jit-in-loop": 1}
    assert scored(report(f"{PAIR}_bad.py", 25)).found == {"jit-in-loop": 1}
    assert scored(report(f"{PAIR}_bad.py", 19)).found == {"jit-in-loop": 1}  # the def
    assert not scored(report(f"{PAIR}_bad.py", 9)).found
    elsewhere = report(f"{PAIR}_bad.py", 9, chain=[{"path": f"{PAIR}_bad.py", "line": 24}])
    assert scored(elsewhere).found == {"jit-in-loop": 1}


def test_what_is_said_of_the_mended_program_too_finds_nothing():
    both = scored(report(f"{PAIR}_bad.py", 24), report(f"{PAIR}_good.py", 24))
    assert not both.found
    assert [each.spot.path for each in both.false] == [f"{PAIR}_good.py"]


def test_notes_in_clean_programs_are_counted_apart():
    told = scored(report("clean/001.py", 3, severity="info"), report("clean/001.py", 4))
    assert (told.notes, len(told.false)) == (1, 1)


def test_sarif_is_read():
    place = {
        "physicalLocation": {
            "artifactLocation": {"uri": (known.PROGRAMS / f"{PAIR}_bad.py").as_uri()},
            "region": {"startLine": 24},
        }
    }
    result = {"ruleId": "X1", "level": "warning", "locations": [place]}
    data = {"runs": [{"results": [result, {"ruleId": "X2", "locations": []}]}]}
    (found,) = read(json.dumps(data), "sarif")
    assert (found.code, found.spot.path, found.spot.line) == ("X1", f"{PAIR}_bad.py", 24)


@pytest.mark.parametrize("text", ["", "[1]", '{"runs": 3}'])
def test_other_output_is_refused_in_one_line(text: str, tmp_path: Path, capsys: Any):
    file = tmp_path / "out.json"
    file.write_text(text)
    assert scorer.main(["--output", str(file), "--form", "sarif"]) == 2
    assert capsys.readouterr().err.startswith("error: this is no output of the form `sarif`")


def test_a_command_that_fails_is_named(capsys: Any):
    assert scorer.main(["--command", "python3 -c 'raise SystemExit(7)'"]) == 2
    assert "ended with code 7" in capsys.readouterr().err


def test_the_sets_share_no_case():
    sets = [{case.name for case in known.cases(known.labels(n))} for n in ("1", "2", "3")]
    every = {case.name for case in known.cases(known.labels())}
    assert sum(map(len, sets)) == len(every)
    assert set().union(*sets) == every
    assert all(len(one) > 100 for one in sets)
