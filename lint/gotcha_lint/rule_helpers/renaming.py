"""The new name of what a library has renamed, as the file writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.facts.releases import Removed
from gotcha_lint.rule import Change, Rewrite

if TYPE_CHECKING:
    from gotcha_lint.text.file_tree import FileTree


def renamed(
    name: str, row: Removed, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
) -> Rewrite | None:
    """The new name put in, where it takes the same arguments."""
    if not row.rename:
        return None
    title = f"use `{row.instead}`"
    if isinstance(node, cst.Attribute):
        parent, _, last = row.instead.rpartition(".")
        if parent == name.rpartition(".")[0]:
            return Rewrite(title, (Change(node.attr, last),))
        root = row.instead.partition(".")[0]
        text = file.alias(root) + row.instead[len(root) :]
        imports = (root,) if text == row.instead else ()
        return Rewrite(title, (Change(node, text),), imports=imports)
    match statement:
        case cst.SimpleStatementLine(body=[cst.ImportFrom(module=cst.CSTNode() as module)]):
            if name == "jax.config.config":
                return Rewrite(title, (Change(module, "jax"),))
    return None
