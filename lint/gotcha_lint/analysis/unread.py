"""Is a name read in a function, and which names of a statement are assigned to?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import libcst as cst

from gotcha_lint.analysis.model import FileModel, Function
from gotcha_lint.analysis.syntax import walk


def _leaves(function: Function, name: str) -> bool:
    """A function nested in it may read the name, or one elsewhere."""
    scope = function.scope
    return name in function.shared or name in scope.global_names | scope.nonlocal_names


def is_read(function: Function, name: str) -> bool:
    """The name is read in the function, or in one nested in it."""
    return _leaves(function, name) or name in _reads(function.node)


@lru_cache(maxsize=4)
def _reads(function: cst.CSTNode) -> frozenset[str]:
    nodes = list(walk(function, into_functions=False))
    assigned = {id(node) for node in stored(nodes)}
    return frozenset(n.value for n in nodes if type(n) is cst.Name and id(n) not in assigned)


def is_plain(target: cst.BaseExpression) -> bool:
    if isinstance(target, cst.Tuple | cst.List):
        return all(is_plain(element.value) for element in target.elements)
    return isinstance(target, cst.Name)


def stored(nodes: list[cst.CSTNode]) -> Iterator[cst.CSTNode | None]:
    """The names that are assigned to, and those that are no variables: attributes and keywords."""
    for node in nodes:
        kind: Any = node.__class__
        if kind is cst.AssignTarget or kind is cst.AnnAssign:
            yield from walk(node.target)  # type: ignore[attr-defined]
        elif kind is cst.Attribute:
            yield node.attr  # type: ignore[attr-defined]
        elif kind is cst.Arg:
            yield node.keyword  # type: ignore[attr-defined]


def is_notebook(model: FileModel) -> bool:
    comments = (line.comment.value for line in model.tree.header if line.comment)
    return model.path.endswith(".ipynb") or any("jupytext" in text for text in comments)
