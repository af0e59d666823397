"""The analysis of real files is what was reviewed; needs the projects in the benchmarks' cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import corpus
from tests.lint import golden

FOLDERS = {p.name: corpus.DEFAULT_CACHE.expanduser() / p.folder for p in corpus.pinned()}


@pytest.mark.slow
@pytest.mark.parametrize(("project", "path"), golden.FILES, ids=lambda part: part)
def test_dump(project: str, path: str, tmp_path: Path) -> None:
    source = FOLDERS[project] / path
    if not source.exists():
        pytest.skip("not fetched: `python benchmarks/ecosystem.py --fetch`")
    reviewed = golden.DUMPS / golden.name_of(project, path)
    assert golden.dump(source, tmp_path) == reviewed.read_text("utf-8")
