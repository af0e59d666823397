"""The floors of the engine: each imports those below it alone, and no floor has a circle."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import gotcha_lint

ROOT = Path(gotcha_lint.__file__).parent
FLOORS = ("program", "domain", "interpret", "solve")
# Beside the floors: helpers without knowledge of the engine, tables of facts, readers of text.
BELOW = {"facts", "text", "patterns"}


@cache
def modules() -> dict[str, Path]:
    """The files of the floors, by dotted name without the package."""
    files = [file for floor in FLOORS for file in sorted((ROOT / floor).rglob("*.py"))]
    found: dict[str, Path] = {}
    for file in files:
        parts = file.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = file
    return found


@cache
def imports(name: str) -> set[str]:
    """What a module imports of this package, at its top, in functions and for type checkers."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(modules()[name].read_text("utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: a relative import"
            base = node.module or ""
            names = [f"{base}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for each in names:
            if each.startswith("gotcha_lint."):
                found.add(_module(each.removeprefix("gotcha_lint.")))
    return found - {name}


def _module(name: str) -> str:
    """`domain.value` of `domain.value.Array`."""
    while name.partition(".")[0] in FLOORS and name not in modules() and "." in name:
        name = name.rpartition(".")[0]
    return name


@pytest.mark.parametrize("name", modules())
def test_a_floor_imports_what_lies_below_it(name: str) -> None:
    mine = FLOORS.index(name.partition(".")[0])
    for imported in imports(name):
        top = imported.partition(".")[0]
        if top in FLOORS:
            assert FLOORS.index(top) <= mine, f"{name} imports {imported}, which lies above it"
        else:
            assert top in BELOW, f"{name} imports {imported}, which is no part of the engine"


def test_no_floor_has_a_circle() -> None:
    """Type-checking imports count: a circle in them is a circle of ideas."""
    done: set[str] = set()
    path: list[str] = []

    def visit(name: str) -> None:
        if name in path:
            pytest.fail("a circle: " + " -> ".join([*path[path.index(name) :], name]))
        if name in done:
            return
        path.append(name)
        for imported in sorted(imports(name) & modules().keys()):
            visit(imported)
        path.pop()
        done.add(name)

    for name in modules():
        visit(name)
