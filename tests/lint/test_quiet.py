"""Right code, much of it from false alarms on real projects, on which every rule is silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.support import lint_files

FILES = sorted((Path(__file__).parent / "quiet").glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_nothing_is_found(tmp_path: Path, file: Path) -> None:
    found = lint_files(tmp_path, {file.name: file.read_text("utf-8")})
    assert [(f.line, f.name, f.message) for f in found] == []
