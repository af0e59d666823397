"""The committed runs of public programs: enough of them, unchanged, every finding judged."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import corpus, sanitizer_programs

ROOT = Path(__file__).parents[2]
ROWS: list[dict[str, Any]] = json.loads(
    (corpus.RESULTS / sanitizer_programs.RESULT).read_text(encoding="utf-8")
)["programs"]
PROGRAMS = {each.name: each for each in sanitizer_programs.programs()}
MISSED = sanitizer_programs.missed()
each_row = pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])


def test_the_programs_are_as_many_and_as_large_as_promised():
    assert len(ROWS) >= 20
    assert sum(row["lines"] > 500 for row in ROWS) >= 2
    assert all(row["steps"] >= 50 for row in ROWS)
    assert any(row["checkpoints"] for row in ROWS)
    assert sum(row["file"].endswith(".ipynb") for row in ROWS) >= 5
    assert {row["project"].rpartition("/")[2] for row in ROWS} >= {"flax", "equinox", "dm-haiku"}


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
    assert not [each for each in judged.values() if each["verdict"] == "false"]


def test_what_a_reader_finds_and_the_sanitizer_does_not_is_told():
    rows = {row["name"]: row for row in ROWS}
    told = [line.removeprefix("- ").partition(",")[0] for line in MISSED.splitlines()]
    assert told and set(told) <= rows.keys()


def test_a_program_of_a_repository_names_its_packages():
    for program in PROGRAMS.values():
        lines = (sanitizer_programs.STAND_INS / program.requirements).read_text().splitlines()
        pins = dict(line.split("==") for line in lines if "==" in line and line[0] != "#")
        row = next(row for row in ROWS if row["name"] == program.name)
        assert pins["jax"] == row["jax"]


CELLS = {
    "train.ipynb": json.dumps(
        {
            "cells": [
                {"cell_type": "markdown", "source": ["# Title"]},
                {"cell_type": "code", "source": ["!pip install x\n", "import x"]},
                {"cell_type": "code", "source": ["x.f()\n"]},
            ]
        }
    ),
    "train.md": "# Title\n```{code-cell} ipython3\n:tags: [x]\n\n!pip install x\nimport x\n```\n"
    "words\n```{code-cell} ipython3\nx.f()\n```\n",
}


@pytest.mark.parametrize("name", CELLS)
def test_the_cells_of_a_notebook_are_a_script(name: str, tmp_path: Path):
    (tmp_path / name).write_text(CELLS[name])
    written = sanitizer_programs.as_script(tmp_path / name)
    assert written == "pass  # !pip install x\nimport x\n\nx.f()\n"


def test_a_program_is_run_from_where_an_installation_has_it(tmp_path: Path):
    source, place = tmp_path / "clone", tmp_path / "tree"
    (source / "examples").mkdir(parents=True)
    (source / "examples" / "train.py").write_text("pass\n")
    program = replace(
        next(iter(PROGRAMS.values())),
        file="examples/train.py",
        start="",
        moved={"examples": "project/examples"},
        module="project.examples.train",
    )
    assert sanitizer_programs.laid_out(program, source, place) == place
    assert (place / "project" / "examples" / "train.py").is_file()
    assert sanitizer_programs.started(program, place) == ["-m", "project.examples.train"]


def test_numbers_of_a_script_are_made_smaller_and_nothing_else(tmp_path: Path):
    (tmp_path / "train.py").write_text("for i in range(5000):\n    step(i)\n")
    program = replace(
        next(iter(PROGRAMS.values())),
        file="train.py",
        start="",
        settings={"range(5000)": "range(50)"},
    )
    place = sanitizer_programs.laid_out(program, tmp_path, tmp_path / "tree")
    assert (place / "train.py").read_text() == "for i in range(50):\n    step(i)\n"
    with pytest.raises(SystemExit, match="epochs = 9"):
        gone = replace(program, settings={"epochs = 9": "epochs = 1"})
        sanitizer_programs.laid_out(gone, tmp_path, tmp_path / "other")


def test_a_time_at_the_end_of_a_line_is_not_compared(tmp_path: Path):
    program = replace(next(iter(PROGRAMS.values())), tells=r"(\d+\t[\d.]+)", clock=r"\t[\d.]+$")
    for took in (0.01, 0.02):
        run = sanitizer_programs.Run(0, 0, 0, 0, False, f"20\t0.5\t{took}\n", "")
        assert sanitizer_programs.told(program, run, tmp_path) == (["20\t0.5"], ["20\t0.5"])


def test_a_repository_is_fetched_at_its_commit_without_its_history(tmp_path: Path, monkeypatch):
    upstream = tmp_path / "upstream"
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["init", "-q"], *(["commit", "-q", "--allow-empty", "-m", n] for n in "ab")):
        upstream.mkdir(exist_ok=True)
        subprocess.run([*git, *command], cwd=upstream, check=True)
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=upstream, text=True).strip()
    monkeypatch.setattr(sanitizer_programs, "ADDRESS", f"file://{tmp_path}/{{}}")
    program = replace(next(iter(PROGRAMS.values())), repository="upstream", commit=head)
    for _ in range(2):  # the second time it is there
        folder = sanitizer_programs.fetched(program, tmp_path / "cache")
        log = ["git", "log", "--format=%H"]
        assert subprocess.check_output(log, cwd=folder, text=True).split() == [head]


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
    assert sanitizer_programs.share(ROWS) in " ".join(page.split())
    assert MISSED in page
