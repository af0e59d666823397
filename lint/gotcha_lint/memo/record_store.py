"""Records on disk: a file for each project that was linted from this directory.

They are pickled, as nothing else reads so many small values so fast; what is read back may be made
of this program's own plain data and nothing else, so that reading runs nothing. A file that is
damaged, or cannot be written, is no loss: it is made again.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import os
import pickle
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from gotcha_lint.files.workspace import root_of
from gotcha_lint.memo.records import Record, Records

_BUILTIN = frozenset({"set", "frozenset", "complex"})
_OWN = "gotcha_lint."


class RecordStore:
    """Reads and writes the records of projects; `file_of` names the file for a project's
    root, `put` writes it."""

    def __init__(self, file_of: Callable[[str], Path], put: Callable[[Path, bytes], None]) -> None:
        self._file_of, self._put = file_of, put
        self._read: dict[Path, Records] = {}

    def records(self, paths: Iterable[str]) -> Records:
        """All that is known of the projects of these files."""
        for path in paths:
            file = self._file(path)
            if file not in self._read:
                self._read[file] = _load(file)
        return {path: record for known in self._read.values() for path, record in known.items()}

    def write(self, records: Records) -> None:
        """Keeps them, beside those of other files of their projects that still exist."""
        by_file: dict[Path, Records] = {}
        for path, record in records.items():
            by_file.setdefault(self._file(path), {})[path] = record
        for file, new in by_file.items():
            old = {p: r for p, r in self._read.get(file, {}).items() if os.path.exists(p)}
            with contextlib.suppress(pickle.PicklingError, RecursionError):
                self._put(file, pickle.dumps({**old, **new}, pickle.HIGHEST_PROTOCOL))

    def _file(self, path: str) -> Path:
        return self._file_of(root_of(os.path.dirname(os.path.abspath(path))))


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module == "builtins" and name in _BUILTIN:
            return super().find_class(module, name)
        found = getattr(importlib.import_module(module), name) if module.startswith(_OWN) else None
        if not isinstance(found, type):
            raise pickle.UnpicklingError(f"{module}.{name} is no record's")
        return found


def _load(file: Path) -> Records:
    enabled = gc.isenabled()
    gc.disable()  # nothing that is read is garbage
    try:
        known = _Reader(io.BytesIO(file.read_bytes())).load()
        return known if all(isinstance(record, Record) for record in known.values()) else {}
    except Exception:  # a damaged pickle can raise anything
        return {}
    finally:
        if enabled:
            gc.enable()
