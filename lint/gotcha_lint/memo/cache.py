"""Findings of earlier runs, kept by what they follow from: nothing unchanged is analysed twice.

A file's findings follow from the texts of the files that imports join it with (its component),
from the rules that are on, and from this program; these make the key. Entries are JSON, which runs
nothing when it is read. One that is damaged, or cannot be written, is no loss: it is made again.
Where a component has changed, `units` and `files` tell what of it still holds.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, partial
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gotcha_lint import __version__, pages
from gotcha_lint.files.workspace import Workspace
from gotcha_lint.finding import Finding, as_dict, from_dict
from gotcha_lint.task import Task

if TYPE_CHECKING:
    from gotcha_lint.memo.file_store import FileStore
    from gotcha_lint.memo.unit_store import UnitStore

_KEPT = 30 * 86400  # seconds that an unused entry is kept
_DAY = 86400

Entry = dict[str, dict[str, list[dict[str, Any]]]]  # by set of rules, then by path


def default_folder() -> Path:
    """`GOTCHA_CACHE_DIR`, else where the system keeps caches of the user's programs."""
    if own := os.environ.get("GOTCHA_CACHE_DIR"):
        return Path(own)
    local = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME")
    return Path(local or Path.home() / ".cache") / "gotcha-lint"


class Cache:
    """A folder with one file for each component that was linted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def of(self, space: Workspace, tasks: Mapping[str, Task], facts: object) -> Memory:
        """What is known about the files of a run; `facts` are the rows that the user gave."""
        base = _digest((_program(), repr(facts)))
        return Memory(self, space, tasks, base)

    def read(self, key: str) -> Entry:
        path = self._path(key)
        try:
            entry = json.loads(path.read_bytes())
            if time.time() - path.stat().st_mtime > _DAY:
                os.utime(path)  # in use: kept for longer
            return entry if isinstance(entry, dict) else {}
        except (OSError, ValueError):
            return {}

    def write(self, key: str, entry: Entry) -> None:
        self.put(self._path(key), json.dumps(entry).encode())

    def put(self, path: Path, data: bytes) -> None:
        """Writes a file whole, or not at all."""
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            number, name = tempfile.mkstemp(dir=path.parent, suffix=".new")
            with os.fdopen(number, "wb") as file:
                file.write(data)
            os.replace(name, path)
            self._forget_old()

    def _path(self, key: str, ending: str = "json") -> Path:
        return self.folder / key[:2] / f"{key[2:]}.{ending}"

    def project_file(self, base: str, ending: str, root: str) -> Path:
        """Where something is kept of a project; paths in it are those seen from this directory."""
        return self._path(_digest((base, os.getcwd(), root)), ending)

    def _forget_old(self) -> None:
        """Once a day."""
        mark, now = self.folder / "swept", time.time()
        if mark.exists() and now - mark.stat().st_mtime < _DAY:
            return
        mark.touch()
        for path in self.folder.glob("??/*"):
            if now - path.stat().st_mtime > _KEPT:
                path.unlink(missing_ok=True)


class Memory:
    """What a cache knows about one run, and takes from it."""

    def __init__(
        self, cache: Cache, space: Workspace, tasks: Mapping[str, Task], base: str
    ) -> None:
        self._cache, self._tasks, self._base = cache, tasks, base
        self.known: list[Finding] = []
        self.settled: set[str] = set()  # files of components that need no analysis
        self._open: list[tuple[str, Entry, list[str]]] = []  # key, entry, asked files
        digests = {path: _digest((path, raw)) for path, raw in space.raw.items()}
        for component in space.components:
            asked = [path for path in sorted(component) if path in tasks]
            key = _digest((base, *(digests[path] for path in sorted(component))))
            self._look_up(component, asked, key)

    def _look_up(self, component: Collection[str], asked: list[str], key: str) -> None:
        entry = self._cache.read(key)
        try:
            found = [from_dict(f) for path in asked for f in entry[self._tasks[path].key][path]]
        except (KeyError, TypeError):  # not asked for before, or damaged
            self._open.append((key, entry, asked))
            return
        self.known.extend(found)
        self.settled.update(component)

    def files(self) -> FileStore:
        """What was found in the files that have to be analysed."""
        from gotcha_lint.memo.file_store import FileStore

        return FileStore(partial(self._cache.project_file, self._base, "files"), self._cache.put)

    def units(self) -> UnitStore:
        """What is known of the units that are in them."""
        from gotcha_lint.memo.unit_store import UnitStore

        return UnitStore(partial(self._cache.project_file, self._base, "units"), self._cache.put)

    def store(self, findings: Iterable[Finding], failed: set[str]) -> None:
        """Keeps the findings of the components that were analysed without an internal error."""
        found: dict[str, list[dict[str, Any]]] = {}
        for finding in findings:
            found.setdefault(finding.path, []).append(as_dict(finding))
        for key, entry, asked in self._open:
            if asked and failed.isdisjoint(asked):
                for path in asked:
                    entry.setdefault(self._tasks[path].key, {})[path] = found.get(path, [])
                self._cache.write(key, entry)


def _digest(parts: Iterable[str | bytes]) -> str:
    total = blake2b(digest_size=16)
    for part in parts:
        raw = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        total.update(len(raw).to_bytes(8, "little"))
        total.update(raw)
    return total.hexdigest()


@cache
def _program() -> str:
    """This linter, its rules and pages, its parser, this Python."""
    parser = find_spec("libcst")
    files = [*_files(Path(__file__).parents[1])]
    if parser is not None and parser.origin:
        files.append(_stamp(Path(parser.origin)))
    return _digest((__version__, sys.version, *sorted(files), *sorted(pages.names())))


def _files(folder: Path) -> Iterator[str]:
    for entry in os.scandir(folder):
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _files(Path(entry.path))
        elif entry.name.endswith((".py", ".json")):
            yield _stamp(Path(entry.path))


def _stamp(path: Path) -> str:
    found = path.stat()
    return f"{path} {found.st_size} {found.st_mtime_ns}"
