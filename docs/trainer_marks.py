"""Where the reference trainer shows the right way: its `# gotcha: shows[name] why` comments."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
TRAINER = (ROOT / "benchmarks/trainer", ROOT / "reference_trainer")
MARK = re.compile(r"#\s*gotcha:\s*shows\[([\w, -]+)\]\s*(.*)")
LONGEST = 10  # lines of a statement that are shown


class Mark(NamedTuple):
    """One exemplary place. No line numbers: a page must not change when code above it does."""

    path: str  # from the root of the repository
    function: str  # around it; empty at the top of a module
    why: str
    code: str


def marks() -> dict[str, list[Mark]]:
    """The places of each gotcha, in the order of the files."""
    found: dict[str, list[Mark]] = {}
    for file in sorted(file for folder in TRAINER for file in folder.rglob("*.py")):
        for names, mark in _in_file(file):
            for name in names:
                found.setdefault(name, []).append(mark)
    return found


def _in_file(file: Path) -> Iterator[tuple[list[str], Mark]]:
    source = file.read_text("utf-8")
    lines = source.splitlines()
    tree = ast.parse(source)
    for number, line in enumerate(lines, start=1):
        if match := MARK.search(line):
            above = line.lstrip().startswith("#")
            statement = _statement(tree, number + 1 if above else number)
            function = _function(tree, statement.lineno)
            names = [name.strip() for name in match[1].split(",")]
            path = file.relative_to(ROOT).as_posix()
            yield names, Mark(path, function, match[2].strip(), _code(lines, statement))


def _statement(tree: ast.Module, line: int) -> ast.stmt:
    """The outermost statement that starts on the line or next after it, or else goes over it."""
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    starting = [node for node in statements if line <= node.lineno < line + LONGEST]
    if starting:
        return min(starting, key=lambda node: (node.lineno, -(node.end_lineno or 0)))
    around = [node for node in statements if node.lineno <= line <= (node.end_lineno or 0)]
    return max(around, key=lambda node: node.lineno)


def _function(tree: ast.Module, line: int) -> str:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, kinds) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return ".".join(node.name for node in sorted(around, key=lambda node: node.lineno))


def _code(lines: list[str], statement: ast.stmt) -> str:
    end = statement.end_lineno or statement.lineno
    whole = [
        line for line in lines[statement.lineno - 1 : end] if not line.lstrip().startswith("#")
    ]
    kept = [re.sub(r"\s*" + MARK.pattern, "", line) for line in whole[:LONGEST]]
    return textwrap.dedent("\n".join(kept)) + ("\n..." if len(whole) > LONGEST else "")
