"""The repository holds text that somebody wrote or measured here: nothing downloaded or built."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pathspec import GitIgnoreSpec

ROOT = Path(__file__).parents[1]
PICTURES = (".png", ".svg")
COMPRESSED = ("findings.jsonl.gz", "avals.json.gz")  # what `make same` and `make facts` write
MOST = 1_000_000  # bytes


def _files() -> Iterator[Path]:
    """All that `git add` would take, whether it was given to git already or not."""
    ignored = GitIgnoreSpec.from_lines((ROOT / ".gitignore").read_text("utf-8").splitlines())
    for folder, below, names in os.walk(ROOT):
        place = Path(folder)
        below[:] = [
            name
            for name in below
            if name != ".git" and not ignored.match_file(f"{(place / name).relative_to(ROOT)}/")
        ]
        for path in (place / name for name in names):
            if not ignored.match_file(path.relative_to(ROOT)) and path.is_file():
                yield path


def test_there_are_only_text_and_pictures():
    found = [path for path in _files() if path.suffix not in PICTURES]
    assert len(found) > 1000
    binary = [path.name for path in found if b"\0" in path.read_bytes()]
    assert [name for name in binary if name not in COMPRESSED] == []


def test_no_file_is_large():
    assert not [path.name for path in _files() if path.stat().st_size > MOST]
