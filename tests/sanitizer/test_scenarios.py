"""Programs with one fault of each kind, and with none: what the sanitizer says, and where."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sanitizer.pythons import interpreters
from tests.sanitizer.support import Result, found, marks, run

SCENARIOS = Path(__file__).parent / "scenarios"


# Of these, what is said is compared too.
TOLD = {"captures", "causes", "libraries"}


@pytest.mark.parametrize("python", interpreters())
@pytest.mark.parametrize("program", sorted(p.stem for p in SCENARIOS.glob("*.py")))
def test_scenario(program: str, python: str, tmp_path: Path, snapshot: Callable[[str, str], None]):
    """Every fault at its line, and on this Python the words: one run shows both."""
    path = SCENARIOS / f"{program}.py"
    result = run(path, tmp_path / "run.jsonl", python=interpreters()[python])
    assert result.code == 0, result.err
    assert found(result) == marks(path, python), result.err
    if program in TOLD and interpreters()[python] == sys.executable:
        snapshot(f"{program}-{python}.txt", words(result))


def words(result: Result) -> str:
    """Of each fault: what is said to have happened, and what to do; Pythons and JAXs differ."""
    told = sorted((f.site.line if f.site else 0, f.name, f.cause, f) for f in result.problems)
    text = "".join(
        f"{line} {name} {cause}\n    {f.message}\n    fix: {f.advice}\n"
        for line, name, cause, f in told
    )
    text = re.sub(r"\d[\d.]* (ms|s|[KM]iB)\b", r"N \1", text)  # these differ from run to run
    return re.sub(r"looked at \(\d+\)", "looked at (N)", text)


def test_the_scenarios_have_faults():
    assert len(marks(SCENARIOS / "causes.py")) >= 19
    assert not marks(SCENARIOS / "quiet.py")
