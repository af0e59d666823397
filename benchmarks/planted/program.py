"""A host with a fault in it, as text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmarks.planted.plant import MARK, Plant, PlantError, edited

HERE = Path(__file__).resolve().parent
HOSTS = HERE / "hosts"
TRAINER = "reference_trainer"

AS_WRITTEN = "as written"

Files = Mapping[str, str]


class Program(NamedTuple):
    """A host's files by their paths, with marks in them."""

    files: Files
    plant: Plant | None = None
    variant: str = AS_WRITTEN


def hosts() -> list[str]:
    """Names of all hosts."""
    own = [each.name for each in HOSTS.iterdir() if (each / "train.py").exists()]
    return [*sorted(own), TRAINER]


@cache
def sources(host: str) -> Files:
    folder = HERE.parents[1] / TRAINER if host == TRAINER else HOSTS / host
    files = {}
    for file in sorted(folder.rglob("*.py")):
        path = file.relative_to(folder)
        files[path.as_posix()] = file.read_text(encoding="utf-8")
    return files


def planted(plant: Plant) -> Program:
    """The host with the plant's edits; PlantError."""
    files = dict(sources(plant.host))
    for change in plant.edits:
        try:
            files[change.path] = edited(files.get(change.path, ""), change)
        except PlantError as error:
            raise PlantError(f"{plant.title}: {error}") from None
    if not any(MARK in text for text in files.values()):
        raise PlantError(f"{plant.title}: no line is marked")
    return Program(files, plant)


def marked(program: Program) -> Iterator[tuple[str, str]]:
    """The files that hold the fault, as path and text."""
    return ((path, text) for path, text in program.files.items() if MARK in text)


class Span(NamedTuple):
    """Lines of a file in which a finding counts, and the marked one."""

    path: str
    line: int
    first: int
    last: int


def finished(files: Files) -> tuple[Files, list[Span]]:
    """The files without marks, and where they were."""
    clean = {path: text.replace(MARK, "") for path, text in files.items()}
    spans = []
    for path, text in files.items():
        for number, line in enumerate(text.splitlines(), 1):
            if MARK in line:
                spans.append(_span(path, number, ast.parse(clean[path])))
    return clean, spans


def _span(path: str, line: int, tree: ast.Module) -> Span:
    """The innermost function around a line, else the statement."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    around = [node for node in ast.walk(tree) if isinstance(node, kinds) and line in _lines(node)]
    if not around:
        around = [node for node in tree.body if line in _lines(node)]
    best = min(around, key=lambda node: len(_lines(node)))
    return Span(path, line, _lines(best)[0], _lines(best)[-1])


def _lines(node: ast.stmt) -> range:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(each.lineno for each in decorators)])
    return range(first, (node.end_lineno or node.lineno) + 1)
