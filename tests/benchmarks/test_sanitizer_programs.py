"""The committed runs of public programs: enough of them, unchanged, every finding judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import corpus, sanitizer_programs

ROOT = Path(__file__).parents[2]
ROWS: list[dict[str, Any]] = json.loads(
    (corpus.RESULTS / sanitizer_programs.RESULT).read_text(encoding="utf-8")
)["programs"]
PROGRAMS = {each.name: each for each in sanitizer_programs.programs()}
each_row = pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])


def test_the_programs_are_as_many_and_as_large_as_promised():
    assert len(ROWS) >= 5
    assert sum(row["lines"] > 500 for row in ROWS) >= 2
    assert all(row["steps"] >= 50 for row in ROWS)
    assert any(row["checkpoints"] for row in ROWS)


def test_each_listed_program_was_run_as_it_is_listed():
    assert [row["name"] for row in ROWS] == list(PROGRAMS)
    for row in ROWS:
        program = PROGRAMS[row["name"]]
        assert row["version"] == sanitizer_programs.release(program)
        listed = program.file, program.steps, program.checkpoints, program.data, program.remark
        assert listed == tuple(
            row[key] for key in ("file", "steps", "checkpoints", "data", "remark")
        )


@each_row
def test_the_sanitizer_changed_nothing(row):
    assert row["exit_codes"] == [PROGRAMS[row["name"]].exit_code] * 2
    assert row["results_compared"] > 0
    assert sanitizer_programs.unchanged(row)


def test_each_finding_has_a_verdict_and_each_verdict_a_finding():
    found = {
        (row["name"], each["finding"], each["file"], each["line"])
        for row in ROWS
        for each in row["findings"]
    }
    judged = sanitizer_programs.verdicts()
    assert found == judged.keys()
    for verdict in judged.values():
        assert verdict["verdict"] in ("true", "minor", "false")
        assert verdict["why"]


def test_what_replaces_a_source_of_data_is_there_and_told():
    for program in PROGRAMS.values():
        assert program.data
        if program.stand_in:
            assert (sanitizer_programs.STAND_INS / program.stand_in).is_dir()


def test_a_line_that_tells_a_time_is_not_compared(tmp_path):
    program = next(iter(PROGRAMS.values()))
    run = sanitizer_programs.Run(0, 0, 0, 0, False, "Training...\nDone in 3.1s\n", "")
    assert sanitizer_programs.told(program, run, tmp_path)[0] == ["Training..."]


def test_the_page_shows_the_table_of_the_runs():
    page = (ROOT / "docs" / "sanitizer.md").read_text(encoding="utf-8")
    assert sanitizer_programs.table(ROWS) in page
