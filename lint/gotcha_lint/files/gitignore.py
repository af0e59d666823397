"""What git ignores below a directory: every .gitignore on the way and .git/info/exclude."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Level:
    """The patterns of one ignore file. They are relative to `directory` (an absolute path)."""

    directory: str
    spec: Any

    def verdict(self, path: str, is_directory: bool) -> bool | None:
        """True ignored, False taken back by a `!` pattern, None not mentioned."""
        prefix = self.directory.rstrip(os.sep) + os.sep
        if not path.startswith(prefix):
            return None
        relative = path[len(prefix) :].replace(os.sep, "/")
        return self.spec.check_file(relative + "/" * is_directory).include


Levels = tuple[Level, ...]


def ignored(levels: Levels, path: str, is_directory: bool) -> bool:
    """The deepest ignore file that mentions the path decides."""
    for level in reversed(levels):
        verdict = level.verdict(path, is_directory)
        if verdict is not None:
            return verdict
    return False


def levels_above(directory: str) -> Levels:
    """The ignore files that hold for `directory`, the repository's top first, its own excluded."""
    top = _repository(directory)
    if top is None:
        return ()
    chain = [top]
    for part in os.path.relpath(directory, top).split(os.sep):
        if part != os.curdir:
            chain.append(os.path.join(chain[-1], part))
    exclude = os.path.join(_git_directory(top), "info", "exclude")
    found = [_level(top, exclude), *(own_level(parent) for parent in chain[:-1])]
    return tuple(level for level in found if level is not None)


def own_level(directory: str) -> Level | None:
    """The .gitignore of a directory."""
    return _level(directory, os.path.join(directory, ".gitignore"))


def _level(directory: str, file: str) -> Level | None:
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as lines:
            patterns = [line.rstrip("\r\n") for line in lines]
    except OSError:
        return None
    patterns = [line for line in patterns if line.strip() and not line.startswith("#")]
    return Level(directory, _spec(patterns)) if patterns else None


def _spec(patterns: list[str]) -> Any:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError:  # git skips a pattern that it cannot read; so do we
        return GitIgnoreSpec.from_lines([line for line in patterns if _readable(line)])


def _readable(pattern: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([pattern])
    except ValueError:
        return False
    return True


def _repository(directory: str) -> str | None:
    while not os.path.exists(os.path.join(directory, ".git")):
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent
    return directory


def _git_directory(top: str) -> str:
    """`.git`, or what it points to: in a worktree or submodule it is a file."""
    git = os.path.join(top, ".git")
    if os.path.isdir(git):
        return git
    real = os.path.join(top, _first_line(git).removeprefix("gitdir:").strip())
    common = _first_line(os.path.join(real, "commondir"))
    return os.path.join(real, common) if common else real


def _first_line(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as lines:
            return lines.readline().strip()
    except OSError:
        return ""
