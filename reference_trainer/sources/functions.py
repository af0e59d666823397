"""The Python sources on this machine, and the functions in them."""

from __future__ import annotations

import ast
import gc
import importlib.util
import os
import sysconfig
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

# Tests, other people's packages, and what was made by programs or for Python 2.
SKIPPED = {"site-packages", "dist-packages", "test", "tests", "idle_test", "__pycache__"}
SKIPPED |= {"encodings", "ensurepip", "lib2to3", "pydoc_data", "turtledemo"}
PACKAGES = ("jax", "flax", "optax", "numpy")  # read if Python came without its sources
FROM_ONE_FILE = 32  # functions taken before the next file: a small limit still sees many files


def library() -> tuple[str, dict[str, Path]]:
    """What is read, and its files by their names within it."""
    if files := _sources(Path(sysconfig.get_paths()["stdlib"])):
        return "the standard library", files
    specs = [importlib.util.find_spec(package) for package in PACKAGES]
    folders = [Path(spec.origin).parent for spec in specs if spec and spec.origin]
    files = {f"{f.name}/{name}": path for f in folders for name, path in _sources(f).items()}
    return "installed packages", files


def functions(paths: Iterable[Path], limit: int, seen: set[bytes]) -> list[bytes]:
    """Up to `limit` texts that are not in `seen`, to which they are added.

    Files are parsed until there are enough.
    """
    first: list[bytes] = []
    rest: list[bytes] = []
    with _no_collector():
        for path in paths:
            new = [text for text in dict.fromkeys(_functions_of(path)) if text not in seen]
            seen.update(new)
            first += new[:FROM_ONE_FILE]
            rest += new[FROM_ONE_FILE:]
            if len(first) >= limit:
                break
    return (first + rest)[:limit]


def _sources(folder: Path) -> dict[str, Path]:
    found = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in SKIPPED]
        paths = [Path(place, name) for name in names if name.endswith(".py")]
        found |= {path.relative_to(folder).as_posix(): path for path in paths}
    return found


@contextmanager
def _no_collector() -> Iterator[None]:
    """A syntax tree has no cycles; looking for them would take most of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _functions_of(path: Path) -> Iterator[bytes]:
    source = path.read_bytes()
    lines = source.splitlines(keepends=True)
    try:
        with warnings.catch_warnings(action="ignore"):  # about somebody else's escapes
            tree = ast.parse(source)
    except (SyntaxError, ValueError):  # a template, or zero bytes
        return
    for node in _outermost(tree.body):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        yield b"".join(lines[first - 1 : node.end_lineno])


def _outermost(body: Iterable[ast.AST]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods in these statements; those within them stay inside."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
        else:
            for block in ("body", "orelse", "handlers", "finalbody"):
                yield from _outermost(getattr(node, block, ()))
