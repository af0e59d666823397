"""The flawed example and its twin: what the tools say of them is what examples/README.md says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from gotcha_lint.registry import rules
from tests.cheap_compiles import CHEAP
from tests.sanitizer.support import SOURCES, Result, run

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
PAGES = ROOT / "docs" / "gotchas"
# Two epochs of 8 batches.
SHORT = ("--replays", "256", "--epochs", "2")
_ROW = re.compile(
    r"^\| \[([a-z-]+)\]\(\.\./docs/gotchas/\1\.md\) \| (.*) \| (.*) \| (.+) \|$", re.M
)
_PLACE = re.compile(r"`(?:([a-z/-]+) )?(\S+\.(?:py|ipynb)(?: cell \d+)?):(\d+)`")
_SCORE = re.compile(r"(accuracy|surprise|seconds_off|winner) ([\d.]+)")

Place = tuple[str, str, int]  # gotcha, or gotcha/cause; file; line


def table() -> tuple[set[Place], set[Place]]:
    """What the README says that the linter and the sanitizer find."""
    linter: set[Place] = set()
    sanitizer: set[Place] = set()
    for gotcha, lint, san, _ in _ROW.findall((EXAMPLES / "README.md").read_text("utf-8")):
        linter |= {(gotcha, file, int(line)) for _, file, line in _PLACE.findall(lint)}
        sanitizer |= {
            _spot(name or gotcha, file, int(line)) for name, file, line in _PLACE.findall(san)
        }
    return linter, sanitizer


def _spot(name: str, file: str, line: int) -> Place:
    """Python 3.11 names a stale capture at the function, later ones at the call."""
    return name, file, 0 if name.startswith("stale-capture/") else line


def linted(folder: str) -> set[Place]:
    done = subprocess.run(
        [sys.executable, "-m", "gotcha_lint", "--output-format", "json", folder],
        cwd=EXAMPLES,
        env=os.environ | {"PYTHONPATH": SOURCES},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stderr
    return {
        (each["name"], _file(each["path"], each["cell"]), each["line"])
        for each in json.loads(done.stdout)
    }


def _file(path: str, cell: int | None) -> str:
    return Path(path).name + (f" cell {cell}" if cell else "")


def sanitized(result: Result) -> set[Place]:
    return {
        _spot(f.name + (f"/{f.cause}" if f.cause else ""), Path(f.site.path).name, f.site.line)
        for f in result.problems
        if f.site
    }


def started(folder: str, tmp: Path, *arguments: str) -> Result:
    result = run(
        EXAMPLES / folder / "train.py",
        tmp / f"{folder}.jsonl",
        arguments=(*arguments, "--save", str(tmp / folder / "forecaster.pkl")),
        env={"JAX_PLATFORMS": "", "XLA_FLAGS": CHEAP},  # the program sets its platform itself
    )
    assert result.code == 0, result.err
    return result


@cache
def short(folder: str, tmp: Path) -> Result:
    return started(folder, tmp, *SHORT)


@pytest.fixture(scope="module")
def tmp(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("examples")


def test_linter_finds_what_the_table_says():
    assert linted("flawed") == table()[0]


def test_linter_finds_nothing_in_the_twin():
    assert linted("fixed") == set()


def test_table_names_many_gotchas_with_a_page():
    linter, sanitizer = table()
    seen = {name.partition("/")[0] for name, *_ in linter | sanitizer}
    assert len(seen) >= 20
    rows = [row[0] for row in _ROW.findall((EXAMPLES / "README.md").read_text("utf-8"))]
    assert len(rows) == len(set(rows)) == (EXAMPLES / "README.md").read_text().count("](../docs/")
    assert all((PAGES / f"{name}.md").exists() for name in rows)


def test_no_comment_names_a_gotcha():
    """The flawed project must look innocent, and the fixed one needs no permission."""
    for file in (*EXAMPLES.glob("flawed/*"), *EXAMPLES.glob("fixed/*")):
        text = file.read_text("utf-8") if file.is_file() else ""
        assert "gotcha" not in text
        assert not [name for name in rules() if "-" in name and name in text]


def test_twins_have_the_same_files():
    names = [
        sorted(f.name for f in (EXAMPLES / folder).iterdir() if f.suffix in (".py", ".ipynb"))
        for folder in ("flawed", "fixed")
    ]
    assert names[0] == names[1]


def test_sanitizer_finds_the_faults_of_a_short_run(tmp):
    assert table()[1] <= sanitized(short("flawed", tmp))
    assert len({name.partition("/")[0] for name, *_ in table()[1]}) >= 7


def test_sanitizer_finds_nothing_in_the_twin(tmp):
    assert sanitized(short("fixed", tmp)) == set()


@pytest.mark.parametrize("folder", ["flawed", "fixed"])
def test_notebook_runs(folder, tmp):
    short(folder, tmp)
    cells = json.loads((EXAMPLES / folder / "explore.ipynb").read_text("utf-8"))["cells"]
    code = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    env = os.environ | {"PYTHONPATH": str(EXAMPLES / folder), "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp / folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    events = [line.rpartition(" ")[2] for line in done.stdout.splitlines()]
    assert len(events) == 3
    assert (len(set(events)) == 1) == (folder == "flawed")  # one key for three draws


@pytest.mark.slow
def test_the_whole_run(tmp_path):
    flawed, fixed = started("flawed", tmp_path), started("fixed", tmp_path)
    assert table()[1] <= sanitized(flawed)
    assert sanitized(fixed) == set()
    bad, good = (
        {name: float(value) for name, value in _SCORE.findall(result.out)}
        for result in (flawed, fixed)
    )
    assert good["accuracy"] > bad["accuracy"] + 0.02
    assert good["surprise"] < bad["surprise"]
    assert good["seconds_off"] < bad["seconds_off"] / 2
    assert fixed.run.summary["compiles"] * 4 < flawed.run.summary["compiles"]
