"""From a node upwards: what stands around it in its function."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.syntax import children


def parents(root: cst.CSTNode) -> dict[int, cst.CSTNode]:
    """The parent of each node below a node, by the child's id."""
    found: dict[int, cst.CSTNode] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        for child in children(node):
            found[id(child)] = node
            stack.append(child)
    return found
