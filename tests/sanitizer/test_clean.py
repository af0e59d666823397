"""It never lies: programs that are right give no finding; each planted fault gives its own.

A fault that the scenarios have too is quick in one place of each program, and slow in others.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.sanitizer.support import Result, marks, run

CLEAN = Path(__file__).parent / "clean"
_FAULT = re.compile(r"(?P<indent>\s*)#~ (?P<name>[\w/-]+): (?P<code>.+)")


def faults(path: Path) -> list[tuple[str, str]]:
    """(name of the finding, text of the faulty program) for each `#~` line."""
    lines = path.read_text("utf-8").splitlines(keepends=True)
    found = []
    for number, line in enumerate(lines):
        match = _FAULT.match(line)
        if match:
            target = next(n for n in range(number - 1, -1, -1) if not _FAULT.match(lines[n]))
            faulty = [*lines]
            faulty[target] = f"{match['indent']}{match['code']}\n"
            found.append((match["name"], "".join(faulty)))
    return found


PROGRAMS = sorted(CLEAN.glob("*.py"))
IN_SCENARIOS = {
    name.rstrip("/")
    for path in CLEAN.with_name("scenarios").glob("*.py")
    for _, name, _ in marks(path)
}
TWINS = [
    pytest.param(
        path.stem,
        name,
        text,
        id=f"{path.stem}-{name}",
        marks=pytest.mark.slow if number and name in IN_SCENARIOS else (),
    )
    for path in PROGRAMS
    for number, (name, text) in enumerate(faults(path))
]


def _run(text: str, tmp_path: Path) -> Result:
    program = tmp_path / "train.py"
    program.write_text(text, "utf-8")
    return run(program, tmp_path / "run.jsonl")


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_clean(path: Path, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = _run(path.read_text("utf-8"), tmp_path)
    assert result.code == 0, result.err
    assert not result.problems, result.err


# A twin that compiles a model's whole step again in each of its steps shows it in the first few.
_STEPS = re.compile(r"range\((8|12)\)")


@pytest.mark.parametrize(("stem", "name", "text"), TWINS)
def test_twin(stem: str, name: str, text: str, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if name == "recompile/pytree-static":
        text = _STEPS.sub("range(4)", text)
    result = _run(text, tmp_path)
    names = {f"{f.name}/{f.cause}" if f.cause else f.name for f in result.problems}
    assert name in names or name in {f.name for f in result.problems}, (
        f"exit code {result.code}\n{result.err}"
    )
