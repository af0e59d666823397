"""From the paths of the command line to the files to lint: each once, sorted."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePath

from gotcha_lint.config.selection import matches
from gotcha_lint.config.settings import Settings, SettingsFinder
from gotcha_lint.files import gitignore

SUFFIXES = (".py", ".pyi", ".ipynb")


class MissingPath(Exception):
    """A path of the command line that does not exist."""


@dataclass(frozen=True)
class _Entry:
    """A directory or file: as the user would write it, absolute, and with links resolved."""

    shown: str
    full: str
    real: str
    levels: gitignore.Levels

    def child(self, entry: os.DirEntry[str], full: str, levels: gitignore.Levels) -> _Entry:
        name = entry.name
        shown = name if self.shown == os.curdir else os.path.join(self.shown, name)
        real = os.path.realpath(full) if entry.is_symlink() else os.path.join(self.real, name)
        return _Entry(shown, full, real, levels)


@dataclass
class Walk:
    """One run of the discovery. `warn` gets a line for each directory that cannot be read."""

    settings_for: SettingsFinder
    warn: Callable[[str], None]
    _seen: dict[str, str] = field(default_factory=dict)
    _links: list[_Entry] = field(default_factory=list)

    def files(self, paths: Sequence[str]) -> list[str]:
        """The files below `paths`. Raises MissingPath."""
        missing = [path for path in paths if not os.path.lexists(path)]
        if missing:
            names = ", ".join(_quoted(path) for path in missing)
            raise MissingPath(f"no such file or directory: {names}")
        for path in paths:
            if os.path.isdir(path):
                self._directory_named(path)
            elif not self.settings_for(path).force_exclude or not self.is_excluded(path):
                self._seen.setdefault(os.path.realpath(path), _tidy(path))
        for link in self._links:  # last: a file is reported under its own name, not a link's
            self._seen.setdefault(link.real, link.shown)
        return sorted(self._seen.values(), key=_sort_key)

    def is_excluded(self, path: str) -> bool:
        """Whether a walk from the configuration's directory would have left this file out."""
        full = _absolute(path)
        settings = self.settings_for(full)
        steps = _steps(settings.root or os.getcwd(), full)
        if any(_is_excluded(settings, step, os.path.isdir(step)) for step in steps):
            return True
        return settings.respect_gitignore and _git_ignores(full)

    def _directory_named(self, path: str) -> None:
        """A directory that the user names is walked even when a pattern excludes it."""
        full = _absolute(path)
        settings = self.settings_for.of_directory(full)
        if settings.force_exclude and self.is_excluded(full):
            return
        levels = gitignore.levels_above(full) if settings.respect_gitignore else ()
        levels = tuple(level for level in levels if not level.verdict(full, True))
        self._walk(_Entry(_tidy(path), full, os.path.realpath(path), levels), full)

    def _walk(self, top: _Entry, asked: str) -> None:
        stack = [top]
        while stack:
            here = stack.pop()
            settings = self.settings_for.of_directory(here.full)
            levels = here.levels
            if settings.respect_gitignore and (own := gitignore.own_level(here.full)):
                levels = (*levels, own)
            for entry in self._entries(here):
                full = os.path.join(here.full, entry.name)
                is_directory = _is_directory(entry)
                if _is_excluded(settings, full, is_directory, asked):
                    continue
                if settings.respect_gitignore and gitignore.ignored(levels, full, is_directory):
                    continue
                child = here.child(entry, full, levels)
                if is_directory:
                    stack.append(child)
                elif entry.is_symlink():
                    self._links += [child] if _is_file(entry) else []
                elif _is_file(entry):
                    self._seen.setdefault(child.real, child.shown)

    def _entries(self, here: _Entry) -> list[os.DirEntry[str]]:
        """The directories and the files of interest, sorted by name."""
        try:
            with os.scandir(here.full) as entries:
                wanted = [e for e in entries if e.name.endswith(SUFFIXES) or _is_directory(e)]
        except OSError as error:
            self.warn(f"{_quoted(here.shown)} cannot be read: {error.strerror or error}")
            return []
        return sorted(wanted, key=lambda entry: entry.name)


def discover(
    paths: Sequence[str], settings_for: SettingsFinder, warn: Callable[[str], None]
) -> list[str]:
    """The files below `paths`, as the user would name them. Raises MissingPath."""
    return Walk(settings_for, warn).files(paths)


def _is_directory(entry: os.DirEntry[str]) -> bool:
    """A link to a directory does not count: its target is found where it is, or lies outside."""
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Regular files only, so that no pipe or device is opened; a broken link is none either."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _is_excluded(settings: Settings, path: str, is_directory: bool, asked: str = "") -> bool:
    """Whether `exclude` or `extend-exclude` names this path.

    Patterns that also meet `asked`, the directory that the user named, do not count.
    """
    names, patterns = _split((*settings.exclude, *settings.extend_exclude))
    if os.path.basename(path) in names:
        return True
    if not patterns or not matches(path, settings.root, patterns, directory=is_directory):
        return False
    return not (asked and matches(asked, settings.root, patterns, directory=True))


@lru_cache(maxsize=64)
def _split(globs: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Plain names apart from patterns: with the default excludes a run needs no pathspec."""
    plain = frozenset(glob for glob in globs if not set(glob) & set("/*?[!\\#"))
    return plain, tuple(glob for glob in globs if glob not in plain)


def _git_ignores(full: str) -> bool:
    levels = gitignore.levels_above(os.path.dirname(full))
    own = gitignore.own_level(os.path.dirname(full))
    levels = (*levels, own) if own else levels
    steps = _steps(levels[0].directory, full) if levels else [full]
    return any(gitignore.ignored(levels, step, os.path.isdir(step)) for step in steps)


def _steps(root: str, full: str) -> list[str]:
    """The paths from below `root` down to `full`; the last alone when it lies elsewhere."""
    relative = os.path.relpath(full, root)
    if relative.startswith(os.pardir):
        return [full]
    steps = [root]
    for part in relative.split(os.sep):
        steps.append(os.path.join(steps[-1], part))
    return steps[1:]


def _tidy(path: str) -> str:
    """Without `./`, doubled and trailing slashes; `..` stays, it may follow a link."""
    return str(PurePath(path))


def _absolute(path: str) -> str:
    return os.path.realpath(path) if os.pardir in PurePath(path).parts else os.path.abspath(path)


def _sort_key(path: str) -> list[str]:
    return path.replace(os.sep, "/").split("/")


def _quoted(path: str) -> str:
    return "'" + path.encode("utf-8", "backslashreplace").decode() + "'"
