"""`--watch`: one run now, one after each change, the last exit code at the end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gotcha_lint.cli import main
from gotcha_lint.watch import watch


def test_a_run_after_each_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, other = tmp_path / "a.py", tmp_path / "b.py"
    file.touch()
    steps = [lambda: None, lambda: file.write_text("x"), lambda: None, other.touch, file.unlink]
    codes = iter([0, 1, 0, 1])

    def sleep(_: float) -> None:
        if not steps:
            raise KeyboardInterrupt
        steps.pop(0)()

    def files() -> list[str]:
        return [entry.path for entry in os.scandir(tmp_path)]

    ran: list[int] = []

    def once() -> int:
        ran.append(next(codes))
        return ran[-1]

    assert watch(once, files, clear=True, sleep=sleep) == 1
    assert ran == [0, 1, 0, 1]  # at the start, changed, a new file, a file that is gone
    said = capsys.readouterr()
    assert said.out.count("\x1b[2J") == 3
    assert said.err.count("waiting for changes") == 4


@pytest.mark.parametrize("other", ["--fix", "--add-allow", "--write-baseline", "-"])
def test_it_only_looks(other: str) -> None:
    assert main(["--watch", other]) == 2
