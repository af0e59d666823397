"""Faults that readers found: rows that nobody mended, and how a finding counts for one."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

from benchmarks.audits.__main__ import HERE, Place, findings, hits, main, places

PROJECTS = list(csv.DictReader((HERE / "projects.tsv").open(encoding="utf-8"), delimiter="\t"))


def test_each_round_is_as_it_was_before_the_linter_ran():
    text = (HERE / "README.md").read_text("utf-8")
    for file in HERE.glob("rounds/*.tsv"):
        assert f"| {file.stem} |" in text
        assert f"`{hashlib.sha256(file.read_bytes()).hexdigest()[:8]}...`" in text, file.name


def test_each_place_is_of_a_project_that_can_be_fetched():
    known = {(int(row["round"]), row["project"]) for row in PROJECTS}
    rows = list(places())
    assert {(row.round, row.project) for row in rows} == known
    assert all(row.line > 0 and row.slug and row.why for row in rows)
    assert {row.round for row in places([12])} == {12}


TEXT = """\
import jax
import numpy as np


@jax.jit
def normalise(x):
    total = 1.0
    scale = 2.0

    y = x * scale
    return y / np.linalg.norm(x)
"""


def _project(folder: Path) -> Path:
    project = folder / "jax-llm"
    project.mkdir()
    (project / "a.py").write_text(TEXT, "utf-8")
    return project


def _row(line: int, severity: str = "error", chain: tuple[int, ...] = ()) -> dict:
    steps = [{"path": "a.py", "line": step} for step in chain]
    return {"name": "x", "severity": severity, "path": "a.py", "line": line, "chain": steps}


def test_a_finding_counts_nearby_in_its_chain_or_at_the_head_of_the_function(tmp_path):
    project = _project(tmp_path)
    fault = Place(12, "jax-llm", "a.py", 11, "numpy-on-tracer", True, "why")
    right = Place(12, "jax-llm", "a.py", 11, "fine", False, "why")

    def told(target, *rows):
        return bool(hits(target, findings(list(rows), project), project))

    assert told(fault, _row(9)) and told(fault, _row(1, chain=(12,)))
    assert told(fault, _row(6)) and told(fault, _row(5))  # the decorator and the `def`
    assert not told(fault, _row(7)) and not told(fault, _row(8))
    assert told(right, _row(11)) and not told(right, _row(11, "info")) and not told(right, _row(6))


def test_it_lints_what_is_at_hand_and_keeps_it(tmp_path, capsys):
    _project(tmp_path)
    assert main([str(tmp_path), "--round", "12", "--keep", str(tmp_path / "kept")]) == 0
    out = capsys.readouterr().out
    assert "fast-RL-jax: not at hand" in out and "round 12, --all: 0 of" in out
    assert main([str(tmp_path), "--round", "12", "--kept", str(tmp_path / "kept")]) == 0
    assert out == capsys.readouterr().out
