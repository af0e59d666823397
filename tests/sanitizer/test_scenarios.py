"""Programs with one fault of each kind, and with none: what the sanitizer says, and where."""

from __future__ import annotations

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


def test_the_scenarios_have_faults():
    assert len(marks(SCENARIOS / "causes.py")) >= 19
    assert not marks(SCENARIOS / "quiet.py")
