"""Roots share what a function does: a callee runs once, and each root shows what it would alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gotcha_lint.interpret import functions
from tests.lint.support import found, lint_files

_DEEP = 14  # calls within calls: functions that unknown code is given are not called so deep down


def _chain(last: str) -> str:
    """A chain of helpers, the last of which hands something to code that nobody knows."""
    lines = ["import jax", "import somewhere", "", ""]
    for n in range(_DEEP):
        lines += [f"def helper{n}(x):", f"    return helper{n + 1}(x)", "", ""]
    lines += [f"def helper{_DEEP}(x):", f"    {last}", "    return x", "", ""]
    return "\n".join(lines)


CALLERS = """
import jax
import helpers


def first(x):
    for n in range(50):
        jax.jit(lambda y: y * n)(x)
    return helpers.helper0(x)


def second(x):
    step = jax.jit(lambda y: y + 1)
    for n in range(1, 50):
        step(helpers.helper0(x)[:n])
"""

PLAIN = "somewhere.note(x)"
GIVEN = "somewhere.note(lambda: x)"
SELECT = ("jit-in-loop", "varying-shape")


def _runs(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    runs: Counter[str] = Counter()
    original = functions._run

    def run(machine: Any, site: Any, function: Any, key: Any, values: Any) -> Any:
        runs[function.name] += 1
        return original(machine, site, function, key, values)

    monkeypatch.setattr(functions, "_run", run)
    return runs


def _findings(tmp_path: Path, last: str) -> list[tuple[int, str]]:
    files = {"helpers.py": _chain(last), "callers.py": CALLERS}
    return found(lint_files(tmp_path, files, select=SELECT, all=True))


def test_unknown_code_deep_down_does_not_part_roots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = _runs(monkeypatch)
    _findings(tmp_path, PLAIN)
    assert runs["first"] >= 1
    assert runs["second"] >= 1
    assert runs["helper0"] == runs[f"helper{_DEEP}"] == 1


@pytest.mark.parametrize("last", [PLAIN, GIVEN])
def test_findings_are_those_without_sharing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    shared = _findings(tmp_path / "shared", last)
    assert shared
    monkeypatch.setattr(functions, "_adopted", lambda machine, summary: False)
    runs = _runs(monkeypatch)
    assert _findings(tmp_path / "shared", last) == shared
    assert runs["helper0"] > 1
