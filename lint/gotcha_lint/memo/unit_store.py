"""What units have shown, on disk: a file for each project that was linted from this directory.

It is JSON, which runs nothing when it is read. A file that is damaged, or cannot be written, is no
loss: it is computed again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gotcha_lint.files.workspace import root_of
from gotcha_lint.finding import Place
from gotcha_lint.findings.forecast import Kept, KeptUnits
from gotcha_lint.program.options import Option
from gotcha_lint.task import Forecast


class UnitStore:
    """Reads and writes the units of projects; `file_of` names the file for a project's root."""

    def __init__(self, file_of: Callable[[str], Path], put: Callable[[Path, bytes], None]) -> None:
        self._file_of, self._put = file_of, put
        self._read: dict[Path, KeptUnits] = {}

    def units(self, paths: Iterable[str]) -> KeptUnits:
        """All that is known of the projects of these files."""
        for folder in {os.path.dirname(os.path.abspath(path)) for path in paths}:
            file = self._file_of(root_of(folder))
            if file not in self._read:
                self._read[file] = _load(file)
        return {path: unit for known in self._read.values() for path, unit in known.items()}

    def write(self, units: KeptUnits) -> None:
        """Keeps those of files that still exist, where something is new."""
        by_file: dict[Path, KeptUnits] = {file: {} for file in self._read}
        folders: dict[str, Path] = {}
        for path, unit in units.items():
            folder = os.path.dirname(os.path.abspath(path))
            if folder not in folders:
                folders[folder] = self._file_of(root_of(folder))
            by_file.setdefault(folders[folder], {})[path] = unit
        for file, own in by_file.items():
            if own != self._read.get(file):
                kept = {path: _packed(unit) for path, unit in own.items() if os.path.exists(path)}
                self._put(file, json.dumps(kept).encode())


def _packed(unit: Kept) -> Any:
    found = {way: [asdict(forecast) for forecast in each] for way, each in unit.found.items()}
    return [
        unit.key,
        found,
        [[asdict(option), *answers] for option, *answers in unit.asked],
        unit.elsewhere,
    ]


def _load(file: Path) -> KeptUnits:
    try:
        return {path: _unit(*packed) for path, packed in json.loads(file.read_bytes()).items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _unit(key: str, found: Mapping[str, Any], asked: Any, elsewhere: Any) -> Kept:
    if not isinstance(key, str):
        raise TypeError
    known = {way: tuple(map(_forecast, each)) for way, each in found.items()}
    return Kept(
        key,
        known,
        tuple((_option(**option), bool(r), bool(t), bool(s)) for option, r, t, s in asked),
        tuple((str(how), str(word), str(path), bool(a)) for how, word, path, a in elsewhere),
    )


def _option(span: Any, **given: Any) -> Option:
    line, column, end_line, end_column = span
    return Option(span=(line, column, end_line, end_column), **given)


def _forecast(packed: Mapping[str, Any]) -> Forecast:
    given = dict(packed)
    line, column, end_line, end_column = given["span"]
    given["span"] = line, column, end_line, end_column
    given["chain"] = tuple(Place(**place) for place in given["chain"])
    return Forecast(**given)
