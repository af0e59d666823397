"""`make demo`: the example has the one fault that its story is about, and the story ends well."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sanitizer.support import SOURCES

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize(("file", "names"), [("before", ["varying-shape"]), ("after", [])])
def test_the_story_has_one_fault(file: str, names: list[str]) -> None:
    command = [sys.executable, "-m", "gotcha_lint", "--output-format", "json"]
    done = subprocess.run(
        [*command, f"story/{file}.py"],
        cwd=EXAMPLES,
        env=os.environ | {"PYTHONPATH": SOURCES},
        capture_output=True,
        text=True,
        check=False,
    )
    assert [found["name"] for found in json.loads(done.stdout)] == names


def test_the_summary(tmp_path: Path) -> None:
    place = "story/before.py:23:39: warning[varying-shape] `x` has a size"
    (tmp_path / "finding.txt").write_text(place)
    for name, count in (("before", 42), ("after", 3)):
        row = {"event": "summary", "compiles": count, "seconds": {"trace": 0.5, "compile": count}}
        (tmp_path / f"{name}.jsonl").write_text('{"event": "start"}\n' + json.dumps(row) + "\n")
    (tmp_path / "trainer.txt").write_text("  x\n  steps compiled: 1\n  weights: the same\n")
    command = [sys.executable, EXAMPLES / "demo_summary.py", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "  linter     line 23: varying-shape, with the reason chain, before anything ran",
        "  before     42 programs compiled, 42.5 s",
        "  after      3 programs compiled, 3.5 s; the same loss",
        "  trainer    steps compiled: 1",
        "             weights: the same",
        "open demo-out/run.html",
    ]


@pytest.mark.slow
def test_the_demo(tmp_path: Path) -> None:
    out = tmp_path / "out"
    env = os.environ | {"BIN": str(Path(sys.executable).parent), "OUT": str(out)}
    done = subprocess.run(
        ["bash", EXAMPLES / "demo.sh"], env=env, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert lines[-1] == "open demo-out/run.html"
    assert "bit for bit the same" in lines[-2]
    assert (out / "run.html").exists()
    assert "\x1b" not in done.stdout
    for file in out.glob("*.*"):
        assert b"\x1b" not in file.read_bytes(), file.name
