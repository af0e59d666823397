"""What fixes ask of the nodes of LibCST: what is below them, around them, and their names."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The node and all below it, in source order."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(current.children))


def dotted(node: cst.CSTNode | None) -> str:
    """`a.b.c` of a chain of attributes on a name, else ""."""
    if isinstance(node, cst.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr.value}" if base else ""
    return node.value if isinstance(node, cst.Name) else ""


def last_word(node: cst.CSTNode | None) -> str:
    """`c` of `a.b.c` and of `f(x).c`; "" for what has no name."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""


def holds(outer: cst.CSTNode, node: cst.CSTNode) -> bool:
    """The node itself, or something in it."""
    return any(part is node for part in walk(outer))


def function_around(tree: cst.CSTNode, node: cst.CSTNode) -> cst.CSTNode:
    """The innermost function that a node is in, or the whole tree."""
    around = tree
    for part in walk(tree):  # outer ones come first
        if isinstance(part, cst.FunctionDef) and holds(part, node):
            around = part
    return around
