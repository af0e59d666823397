"""Finds the line of the user's program that says something, where no frame can tell any more."""

from __future__ import annotations

import ast
import linecache
import os
import re
import sys
from collections.abc import Iterator

from gotcha_sanitizer.frames import file_of, owner
from gotcha_sanitizer.syntax import parse
from gotcha_sanitizer.values.parts import Site

_MOST_LINES = 20_000


def setting_line(name: str) -> Site | None:
    """The first line of the user's loaded files that seems to set a variable or flag.

    `function` is the function it stands in, or empty for a line of the module itself.
    """
    said = re.compile(rf"[\"']{re.escape(name)}[\"']|\bconfig\.{re.escape(name)}\b")
    for path in _files():
        for number, line in enumerate(linecache.getlines(path)[:_MOST_LINES], 1):
            if said.search(line) and not _only_read(line):
                return Site(path, number, _function(path, number))
    return None


def _only_read(line: str) -> bool:
    return line.lstrip().startswith("#") or bool(re.search(r"\bgetenv\(|environ\.get\(", line))


def _files() -> Iterator[str]:
    script = sys.argv[0] if sys.argv else ""  # of `runpy.run_path` nothing else is left
    loaded = [(name, file_of(module)) for name, module in [*sys.modules.items()]]
    for name, path in [("__main__", script), *loaded]:
        user = path.endswith(".py") and owner(path) == "user"
        if user and not name.startswith(("gotcha_lint", "gotcha_sanitizer")):
            yield os.path.abspath(path)


def _function(path: str, line: int) -> str:
    tree = parse("".join(linecache.getlines(path)))
    if tree is None:
        return ""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.lineno < line <= (node.end_lineno or node.lineno)
    ]
    return max(around, key=lambda node: node.lineno).name if around else ""
