"""What files tell each other is plain data: it can be stored, sent, and read back as it was."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import libcst as cst
import pytest

from gotcha_lint import engine
from gotcha_lint.analysis.building import build
from gotcha_lint.analysis.rounds import Result
from gotcha_lint.analysis.summary import summarise
from gotcha_lint.analysis.values import FunctionId
from gotcha_lint.config.settings import Settings
from gotcha_lint.workers.shard import Shard

ROOT = Path(__file__).parents[2]
FILES = sorted([*ROOT.glob("reference_trainer/*.py"), *ROOT.glob("examples/flawed/*.py")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_summary_comes_back_as_it_was(path: Path) -> None:
    summary = summarise(build(str(path), cst.parse_module(path.read_text("utf-8"))))
    assert all(map(is_plain, summary))
    assert pickle.loads(pickle.dumps(summary)) == summary


@pytest.mark.slow
def test_what_functions_tell_each_other_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Result] = []

    def analyse(self: Shard, *args: Any) -> dict[FunctionId, Result]:
        results = original(self, *args)
        told.extend(results.values())
        return results

    original = Shard.analyse
    monkeypatch.setattr(Shard, "analyse", analyse)
    engine.lint([str(path) for path in FILES], lambda path: Settings())
    assert len(told) > len(FILES)
    assert all(map(is_plain, told))
    assert pickle.loads(pickle.dumps(told)) == told


def is_plain(value: object) -> bool:
    """Made of Python's own types, and tuples with names, all the way down."""
    if isinstance(value, dict):
        return is_plain(tuple(value.items()))
    if isinstance(value, tuple | list | set | frozenset):
        return all(map(is_plain, value))
    return value is None or isinstance(value, str | bytes | int | float | complex)
