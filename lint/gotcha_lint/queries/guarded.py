"""Is a place prepared for a name that may be missing?"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.syntax import children, dotted
from gotcha_lint.queries.branches import ends
from gotcha_lint.rule import text_of

_ERRORS = frozenset(
    {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}
)
_ASKS = (
    "hasattr",
    "getattr",
    "version",
    "type_checking",
    "has_",
    "have_",
    "find_spec",
    "_ge_",
    "_lt_",
    "legacy",
)


def unguarded(model: FileModel, wanted: Collection[cst.CSTNode]) -> list[cst.CSTNode]:
    """Those of the nodes that run whatever the installed release is.

    Left out are nodes under an `if` that asks for a version or for the name itself, in a `try` that
    catches its absence, in annotations that are not evaluated, and attributes that are set here.
    """
    lazy = "__future__.annotations" in model.imports
    ids = {id(node) for node in wanted}
    found: list[cst.CSTNode] = []
    stack: list[cst.CSTNode] = [model.tree]
    while stack:
        node = stack.pop()
        if id(node) in ids:
            found.append(node)
        if not _prepared(node, lazy):
            stack.extend(reversed(_reached(node)))
    return found


def asks(test: cst.CSTNode) -> bool:
    """A condition that tells releases apart, by their number or by what they have."""
    text = text_of(test).lower()
    return any(word in text for word in _ASKS)


def _reached(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The children of a node; of a block those up to `if version >= ...: return`."""
    found = children(node)
    for number, part in enumerate(found):
        if part.__class__ is cst.If and _leaves(part):  # type: ignore[arg-type]
            return found[:number]
    return found


def _leaves(node: cst.If) -> bool:
    return node.orelse is None and ends(node.body) and asks(node.test)


def _prepared(node: cst.CSTNode, lazy: bool) -> bool:
    kind = node.__class__
    if kind is cst.Annotation:
        return lazy
    ready = _PREPARED.get(kind)
    return ready is not None and ready(node)


_PREPARED: dict[type, Callable[[Any], bool]] = {
    cst.If: lambda node: asks(node.test),
    cst.IfExp: lambda node: asks(node.test),
    cst.Try: lambda node: any(map(_catches, node.handlers)),
    cst.BooleanOperation: lambda node: asks(node.left),
    cst.AssignTarget: lambda node: node.target.__class__ is cst.Attribute,
    cst.Del: lambda node: True,
}


def _catches(handler: cst.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elements if isinstance(handler.type, cst.Tuple) else (handler.type,)
    names = [dotted(kind.value if isinstance(kind, cst.Element) else kind) or "" for kind in kinds]
    return any(name.rpartition(".")[2] in _ERRORS for name in names)
