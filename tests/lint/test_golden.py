"""The analysis of real files is what was reviewed. The projects are fetched; none is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint import golden


@pytest.fixture(scope="module")
def projects() -> dict[str, Path]:
    return golden.fetched()


@pytest.mark.slow
@pytest.mark.parametrize(("project", "path"), golden.FILES, ids=lambda part: part)
def test_dump(projects: dict[str, Path], project: str, path: str, tmp_path: Path) -> None:
    assert project in projects, "it could not be fetched"
    reviewed = golden.DUMPS / golden.name_of(project, path)
    assert golden.dump(projects[project] / path, tmp_path) == reviewed.read_text("utf-8")
