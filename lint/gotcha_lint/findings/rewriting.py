"""From what a rule wants to change in the tree to edits of the text."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.finding import Edit, Fix
from gotcha_lint.rule import Change, Rewrite
from gotcha_lint.text.file_tree import FileTree
from gotcha_lint.text.lines import line_around, next_line
from gotcha_lint.text.positions import Positions


def fix_of(rewrite: Rewrite, file: FileTree) -> Fix:
    """The edits of all changes, and of the imports that they need, in the order of the text."""
    newline, text, positions = file.tree.default_newline, file.source.text, file.positions
    edits = [
        edit for change in rewrite.changes for edit in _edits(change, text, positions, newline)
    ]
    edits.extend(_import(module, file) for module in rewrite.imports if not file.imports(module))
    ordered = tuple(sorted(edits, key=lambda e: (e.start, e.end)))
    return Fix(rewrite.title, ordered, rewrite.safe)


def _edits(change: Change, text: str, positions: Positions, newline: str) -> list[Edit]:
    start, end = positions.span(change.node)
    if isinstance(change.node, cst.SimpleStatementLine) and change.text == "":
        start, end = line_around(text, start)[0], next_line(text, end)
    if change.like is not None:
        return [Edit(start, end, text[slice(*positions.span(change.like))])]
    if change.below:
        return [_below(start, end, text, newline, change.below)]
    if change.text is not None:
        return [Edit(start, end, change.before + change.text + change.after)]
    edits = [Edit(start, start, change.before)] if change.before else []
    return edits + ([Edit(end, end, change.after)] if change.after else [])


def _below(start: int, end: int, text: str, newline: str, line: str) -> Edit:
    """A new line after a statement, indented as it is."""
    before = text[line_around(text, start)[0] : start]
    indent = before if not before.strip() else ""
    end = line_around(text, start + len(text[start:end].rstrip()))[1]
    end -= text.endswith("\r", 0, end)
    return Edit(end, end, f"{newline}{indent}{line}")


def _import(module: str, file: FileTree) -> Edit:
    """`import module` after the last import at the top, else after the module's docstring."""
    offset = 0
    for number, statement in enumerate(file.tree.body):
        if not isinstance(statement, cst.SimpleStatementLine):
            break
        first = statement.body[0]
        docstring = number == 0 and isinstance(first, cst.Expr)
        if not docstring and not isinstance(first, cst.Import | cst.ImportFrom):
            break
        offset = next_line(file.source.text, file.positions.span(statement)[1])
    return Edit(offset, offset, f"import {module}{file.tree.default_newline}")
