"""Small questions about LibCST nodes, for fixes."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The node and all below it, without recursion, in the order of the text."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(current.children))


def holds(outer: cst.CSTNode, node: cst.CSTNode) -> bool:
    """Is it the node itself, or something in it?"""
    return any(part is node for part in walk(outer))


def dotted(node: cst.CSTNode | None) -> str | None:
    """`a.b.c` of a chain of attributes on a name, else None."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return None
    return ".".join((node.value, *reversed(parts)))


def last_word(node: cst.CSTNode | None) -> str:
    """`c` of `a.b.c` and of `f(x).c`; "" for what has no name."""
    if isinstance(node, cst.Attribute):
        node = node.attr
    return node.value if isinstance(node, cst.Name) else ""
