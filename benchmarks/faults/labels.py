"""What is known of the programs: `faults.tsv`, read into cases."""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
CLEAN = "clean"
PART = "part-of:"


@dataclass(frozen=True)
class Place:
    """A line, from 1; in a notebook of a code cell, counted from 1 among all cells."""

    line: int
    cell: int | None = None


@dataclass(frozen=True)
class Label:
    """One file: where its fault is, or that it has none. Paths are relative to `programs/`.

    `set`: "1" was given while the linter was written; "2" and "3" by readers who had not seen it.
    """

    path: str
    kind: str
    places: tuple[Place, ...]
    source: str
    verified: str
    set: str

    @property
    def is_clean(self) -> bool:
        return self.kind == CLEAN


@dataclass(frozen=True)
class Case:
    """A program with a fault. A package may have the fault's places in several files."""

    name: str
    kind: str
    labels: tuple[Label, ...]


def labels(only: str | None = None) -> list[Label]:
    """The rows of `faults.tsv`: all, or those of one set."""
    with (HERE / "faults.tsv").open(newline="", encoding="utf-8") as file:
        return [
            Label(
                path=row["path"],
                kind=row["kind"],
                places=tuple(_places(row["line"])),
                source=row["source"],
                verified=row["verified"],
                set=row["set"],
            )
            for row in csv.DictReader(file, delimiter="\t")
            if only in (None, row["set"])
        ]


def cases(rows: list[Label]) -> list[Case]:
    """The faulty programs, in the order of the table."""
    grouped: dict[str, list[Label]] = {}
    for row in rows:
        if not row.is_clean and not row.kind.startswith(PART):
            grouped.setdefault("/".join(PurePosixPath(row.path).parts[:3]), []).append(row)
    return [Case(name, rows[0].kind, tuple(rows)) for name, rows in grouped.items()]


def fixed(case: Case) -> str:
    """The file or folder that holds the same program without the fault."""
    return case.name.replace("_bad", "_good")


def accepted(label: Label) -> set[tuple[int | None, int]]:
    """The (cell, line) pairs that a report may name.

    A line of the fault, one line either side of it, and the header of the function around it: its
    decorators and its `def`. Some tools name the function, others the statement.
    """
    found: set[tuple[int | None, int]] = set()
    for place in label.places:
        near = range(place.line - 1, place.line + 2)
        found |= {(cell, line) for cell in _cells(label.path, place.cell) for line in near}
        if place.cell is None:
            found |= {(None, line) for line in _headers(PROGRAMS / label.path, place.line)}
    return found


def _places(text: str) -> Iterator[Place]:
    for part in filter(None, map(str.strip, text.split(","))):
        if part.startswith("cell"):
            cell, _, line = part.removeprefix("cell").partition(":")
            yield Place(int(line), int(cell))
        else:
            yield Place(int(part))


def _cells(path: str, cell: int | None) -> set[int | None]:
    """Tools count all cells, or code cells alone."""
    if cell is None:
        return {None}
    before = json.loads((PROGRAMS / path).read_text("utf-8"))["cells"][:cell]
    return {cell, sum(each["cell_type"] == "code" for each in before)}


def _headers(path: Path, line: int) -> Iterator[int]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first <= line <= (node.end_lineno or node.lineno):
                yield from range(first, node.lineno + 1)
