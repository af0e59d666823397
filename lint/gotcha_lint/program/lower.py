"""From the `ast` of a module to its instructions (floor `program`)."""

from __future__ import annotations

import ast
import re

from gotcha_lint.program.builder import Builder
from gotcha_lint.program.ir import Module
from gotcha_lint.program.spans import Spans
from gotcha_lint.program.statements import block


def lower(
    tree: ast.Module,
    text: str,
    path: str,
    name: str,
    formatted: frozenset[tuple[int, int]] = frozenset(),
) -> Module:
    """The module of which `text` is the source and `tree` the syntax tree.

    `formatted`: see `Builder`.
    """
    spans = Spans(text)
    walrus = spans.lines_with(":=") if ":=" in text else ()
    builder = Builder(path, spans, walrus, formatted, _is_lazy(tree))
    top = builder.function
    top.end_line = len(spans.lines)
    top.is_notebook = path.endswith(".ipynb") or _is_script_of_notebook(text)
    block(builder, tree.body)
    top.registers = builder.register
    builder.functions.append(top)
    return Module(name, path, top, builder.functions, builder.annotations, _cells(text))


# Between the cells of a notebook; `# %%` of editors, `# +` and `# -` of jupytext, `# In[3]:` of
# nbconvert.
_CELL = re.compile(r"^#(?:\x1f$|\s?(?:%%|\+(?:\s|$)|-$|In\s?\[))", re.MULTILINE)


def _cells(text: str) -> tuple[int, ...]:
    return tuple(text.count("\n", 0, found.start()) + 1 for found in _CELL.finditer(text))


def _is_lazy(tree: ast.Module) -> bool:
    """Does `from __future__ import annotations` keep annotations as texts?"""
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node in tree.body
    )


_HEAD = 2_000  # code points


def _is_script_of_notebook(text: str) -> bool:
    """Does a comment at its head name jupytext, which keeps notebooks as scripts?"""
    for line in text[:_HEAD].splitlines():
        if line and not line.startswith("#"):
            return False
        if "jupytext" in line:
            return True
    return False
