"""Programs with one fault of each kind, and with none: what the sanitizer says, and where."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sanitizer.pythons import interpreters
from tests.sanitizer.support import found, marks, run

SCENARIOS = Path(__file__).parent / "scenarios"


@pytest.mark.parametrize("python", interpreters())
@pytest.mark.parametrize("program", sorted(p.stem for p in SCENARIOS.glob("*.py")))
def test_scenario(program: str, python: str, tmp_path: Path):
    path = SCENARIOS / f"{program}.py"
    result = run(path, tmp_path / "run.jsonl", python=interpreters()[python])
    assert result.code == 0, result.err
    assert found(result) == marks(path, python), result.err


@pytest.mark.parametrize("program", ["captures", "causes", "libraries"])
def test_the_words(program: str, tmp_path: Path, snapshot: Callable[[str, str], None]):
    """Of each fault: what is said to have happened, and what to do; Pythons and JAXs differ."""
    result = run(SCENARIOS / f"{program}.py", tmp_path / "run.jsonl")
    told = sorted((f.site.line if f.site else 0, f.name, f.cause, f) for f in result.problems)
    text = "".join(
        f"{line} {name} {cause}\n    {f.message}\n    fix: {f.advice}\n"
        for line, name, cause, f in told
    )
    python = "{}.{}".format(*sys.version_info)
    text = re.sub(r"\d[\d.]* (ms|s|[KM]iB)\b", r"N \1", text)  # these differ from run to run
    snapshot(f"{program}-{python}.txt", re.sub(r"looked at \(\d+\)", "looked at (N)", text))


def test_the_scenarios_have_faults():
    assert len(marks(SCENARIOS / "causes.py")) >= 19
    assert not marks(SCENARIOS / "quiet.py")
