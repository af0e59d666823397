"""Findings that were there when a project began to use the linter: known, and not shown again.

A baseline is a JSON file to be committed. It names findings by file and `id`, which follows from
the rule, the statement and the function around it: lines may move. Line and message stand beside it
for those who review the file. What is put right is taken out the next time that the baseline is
written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from gotcha_lint.config.options import UsageError
from gotcha_lint.config.settings import display_path
from gotcha_lint.finding import Finding

DEFAULT = "gotcha-baseline.json"
_VERSION = 1

Row = Mapping[str, Any]  # name, id, and for who reviews the file: line and message
Known = Mapping[str, Mapping[str, Row]]  # rows by id, by the path from the baseline's folder


class Baselines:
    """The baselines of a run; `path_for` gives that of a linted file, or None."""

    def __init__(self, path_for: Callable[[str], str | None]) -> None:
        self._path_for = path_for
        self._read: dict[str, Known] = {}

    def read(self, paths: Iterable[str]) -> None:
        """Reads those of the given files. Raises UsageError."""
        for path in paths:
            self._of(path)

    def new(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings that no baseline names. Raises UsageError."""
        return [finding for finding in findings if finding.id not in self._of(finding.path)]

    def gone(self, checked: Iterable[str], findings: Iterable[Finding]) -> int:
        """How many known findings of the checked files are not there any more."""
        left = {(finding.path, finding.id) for finding in findings}
        return sum((path, known) not in left for path in checked for known in self._of(path))

    def _of(self, path: str) -> Mapping[str, Row]:
        file = self._path_for(path)
        if file is None:
            return {}
        if file not in self._read:
            self._read[file] = read(file)
        return self._read[file].get(_key(path, file), {})


def read(file: str) -> Known:
    """What a baseline names. Raises UsageError."""
    shown = display_path(file)
    try:
        with open(file, "rb") as opened:
            data = json.load(opened)
    except FileNotFoundError as error:
        raise UsageError(
            f"{shown}: there is no such baseline: --write-baseline makes it"
        ) from error
    except OSError as error:
        raise UsageError(f"{shown}: {error.strerror or error}") from error
    except ValueError as error:
        raise UsageError(f"{shown}: not a baseline: {error}") from error
    if not isinstance(data, dict) or data.get("version") != _VERSION:
        problem = "not a baseline of this version: --write-baseline writes a new one"
        raise UsageError(f"{shown}: {problem}")
    try:
        return {
            path: {row["id"]: {"name": row["name"], **row} for row in rows}
            for path, rows in data["findings"].items()
        }
    except (AttributeError, KeyError, TypeError) as error:
        raise UsageError(f"{shown}: not a baseline: --write-baseline writes a new one") from error


def write(file: str, checked: Sequence[str], findings: Sequence[Finding]) -> int:
    """Writes the findings of the checked files, beside what was known of others that exist.

    Returns how many it names. A finding without an `id`, such as a syntax error, is none to live
    with. Raises UsageError.
    """
    from gotcha_lint.text.source import write as write_whole

    named = dict(_others(file, checked))
    for finding in findings:
        if finding.id:
            rows = named.setdefault(_key(finding.path, file), [])
            rows.append(_row(finding))
    table = {path: sorted(named[path], key=_order) for path in named}
    whole = {"version": _VERSION, "findings": dict(sorted(table.items()))}
    try:
        write_whole(file, (json.dumps(whole, indent=1) + "\n").encode())
    except OSError as error:
        raise UsageError(f"{display_path(file)}: {error.strerror or error}") from error
    return sum(map(len, table.values()))


def _others(file: str, checked: Sequence[str]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    if not os.path.exists(file):
        return
    own = {_key(path, file) for path in checked}
    for path, rows in read(file).items():
        if path not in own and os.path.exists(os.path.join(os.path.dirname(file), path)):
            yield path, [dict(row) for row in rows.values()]


def _row(finding: Finding) -> dict[str, Any]:
    place = {"line": finding.line} | ({} if finding.cell is None else {"cell": finding.cell})
    return {"name": finding.name, **place, "message": finding.message, "id": finding.id}


def _order(row: Row) -> tuple[int, int, str, str]:
    return row.get("cell", 0), row.get("line", 0), row["name"], row["id"]


def _key(path: str, file: str) -> str:
    return os.path.relpath(path, os.path.dirname(file)).replace(os.sep, "/")
