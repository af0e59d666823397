"""The LibCST tree of one file, for places, comments and fixes of findings.

The engine reads a file through `ast`; a tree is made only where a file has findings or comments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from gotcha_lint.text.nodes import dotted, walk
from gotcha_lint.text.positions import Positions
from gotcha_lint.text.reading import tree_of
from gotcha_lint.text.source import Source


@dataclass(frozen=True)
class FileTree:
    """A file that LibCST has parsed."""

    source: Source
    tree: cst.Module

    @staticmethod
    def of(source: Source) -> FileTree:
        """Parses a file. Raises `Unreadable`."""
        return FileTree(source, tree_of(source))

    @property
    def path(self) -> str:
        return self.source.path

    @cached_property
    def positions(self) -> Positions:
        return Positions(self.tree, self.source.text)

    @cached_property
    def imported(self) -> Mapping[str, str]:
        """The names that imports at the top level bind, with what they stand for."""
        return dict(_imported(self.tree))

    def alias(self, module: str) -> str:
        """How the file calls a module: `jnp` for `jax.numpy`; its own name if not imported."""
        found = [
            name + module[len(full) :]
            for name, full in self.imported.items()
            if module == full or module.startswith(full + ".")
        ]
        return min(found, key=len, default=module)

    def function_around(self, node: cst.CSTNode) -> cst.FunctionDef | cst.Module:
        """The innermost function that a node is in, or the module."""
        start, end = self.positions.span(node)
        best: cst.FunctionDef | cst.Module = self.tree
        for each in walk(self.tree):  # outer ones come first
            if isinstance(each, cst.FunctionDef):
                first, last = self.positions.span(each)
                if first <= start and end <= last:
                    best = each
        return best

    def imports(self, module: str) -> bool:
        """Is the top package of a module bound by its own name?"""
        root = module.partition(".")[0]
        return self.imported.get(root) == root


def _imported(node: cst.CSTNode) -> Iterator[tuple[str, str]]:
    """In the order of the text; functions and classes have names of their own."""
    for child in node.children:
        match child:
            case cst.FunctionDef() | cst.ClassDef():
                continue
            case cst.Import(names=names):
                for alias in names:
                    full = dotted(alias.name) or ""
                    if alias.asname is None:
                        full = full.partition(".")[0]
                    yield _bound(alias) or full, full
            case cst.ImportFrom(names=[*names]):
                base = "." * len(child.relative) + _module(child)
                dot = "" if base.endswith(".") else "."
                for alias in names:
                    name = dotted(alias.name) or ""
                    yield _bound(alias) or name, f"{base}{dot}{name}"
            case cst.BaseCompoundStatement() | cst.BaseSuite() | cst.SimpleStatementLine():
                yield from _imported(child)
            case cst.Else() | cst.ExceptHandler() | cst.Finally():
                yield from _imported(child)
            case _:
                continue


def _module(node: cst.ImportFrom) -> str:
    return (dotted(node.module) or "") if node.module is not None else ""


def _bound(alias: cst.ImportAlias) -> str:
    return (dotted(alias.asname.name) or "") if alias.asname is not None else ""
