"""Frozen findings: rows, the file that keeps them, and what differs between two records.

The file is JSON lines in gzip: a header, then a row a line, sorted. Its bytes follow from its
contents alone (no time, no file name), so that an unchanged record is an unchanged file.
"""

from __future__ import annotations

import gzip
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

VERSION = 1


class RecordError(Exception):
    """A file that holds no record of this version."""


class Row(NamedTuple):
    """One finding. `id` is the finding's own identity, which survives moved lines; may be empty."""

    set: str
    project: str
    path: str
    rule: str
    severity: str
    id: str
    cell: int | None
    line: int

    @property
    def key(self) -> tuple[str, ...]:
        """Equal for the same finding in another record; the line counts only without an id."""
        return (*self[:5], self.id or f"{self.cell or 0}:{self.line}")

    @property
    def place(self) -> str:
        cell = f"cell {self.cell}:" if self.cell else ""
        return f"{self.set}/{self.project}/{self.path}:{cell}{self.line}"


class Source(NamedTuple):
    """A project of somebody else, by its name and what its sources were."""

    set: str
    project: str


@dataclass(frozen=True)
class Record:
    """Findings, with the digest of the sources of each project that is not of this repository."""

    rows: tuple[Row, ...] = ()
    sources: Mapping[Source, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Difference:
    """What a record has that another lacks, both ways."""

    appeared: tuple[Row, ...]
    disappeared: tuple[Row, ...]

    def __bool__(self) -> bool:
        return bool(self.appeared or self.disappeared)


@dataclass(frozen=True)
class Scope:
    """What was linted: whole sets of this repository, and single projects of others."""

    sets: frozenset[str]
    projects: frozenset[Source]

    def holds(self, row: Row) -> bool:
        return row.set in self.sets or Source(row.set, row.project) in self.projects


def compare(old: Record, new: Record, scope: Scope) -> Difference:
    """What differs within `scope`. Equal findings are counted: two become one is a difference."""
    before = [row for row in old.rows if scope.holds(row)]
    return Difference(_without(new.rows, before), _without(before, new.rows))


def _without(rows: Iterable[Row], others: Iterable[Row]) -> tuple[Row, ...]:
    left = Counter(row.key for row in others)
    found = []
    for row in sorted(rows, key=_order):
        if left[row.key]:
            left[row.key] -= 1
        else:
            found.append(row)
    return tuple(found)


def merged(old: Record, new: Record, scope: Scope) -> Record:
    """The new record, with the old rows and sources of everything that was not linted."""
    kept = [row for row in old.rows if not scope.holds(row)]
    return Record(tuple(sorted([*kept, *new.rows], key=_order)), {**old.sources, **new.sources})


def other_sources(old: Record, new: Record) -> list[Source]:
    """Projects whose sources are not those of the old record: their findings say little."""
    return sorted(each for each in new.sources if old.sources.get(each, "") != new.sources[each])


def report(difference: Difference) -> str:
    """Rule by rule, what appears (+) and what disappears (-), with its place."""
    signs = {row: "+" for row in difference.appeared}
    signs.update({row: "-" for row in difference.disappeared})
    lines: list[str] = []
    for rule in sorted({row.rule for row in signs}):
        rows = sorted((row for row in signs if row.rule == rule), key=_order)
        more = sum(signs[row] == "+" for row in rows)
        lines.append(f"{rule}: +{more} -{len(rows) - more}")
        lines += [f"  {signs[row]} {row.place} ({row.severity})" for row in rows]
    return "\n".join(lines)


def _order(row: Row) -> tuple[Any, ...]:
    return (*row[:3], row.cell or 0, row.line, *row[3:6])


def pack(record: Record) -> bytes:
    head = {
        "version": VERSION,
        "sources": [[*source, record.sources[source]] for source in sorted(record.sources)],
    }
    lines = [head, *sorted(record.rows, key=_order)]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    packed = io.BytesIO()
    # Without a name and a time: both would stand in the header.
    with gzip.GzipFile("", "wb", 9, packed, mtime=0) as file:
        file.write(text.encode())
    return packed.getvalue()


def unpack(packed: bytes) -> Record:
    """The record; RecordError."""
    try:
        head, *lines = map(json.loads, gzip.decompress(packed).decode().splitlines())
        if head["version"] != VERSION:
            raise RecordError(f"version {head['version']}, not {VERSION}")
        sources = {Source(*row[:2]): row[2] for row in head["sources"]}
        return Record(tuple(Row(*line) for line in lines), sources)
    except (OSError, EOFError, ValueError, LookupError, TypeError) as error:
        raise RecordError(f"no record of findings: {error}") from error


def read(path: Path) -> Record:
    """The committed record, empty if there is none; RecordError."""
    if not path.exists():
        return Record()
    try:
        return unpack(path.read_bytes())
    except RecordError as error:
        raise RecordError(f"{path.name}: {error}; --update writes a new one") from error
