"""Is a place prepared for a name that may be missing?"""

from __future__ import annotations

from collections.abc import Collection

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
    found = list(children(node))
    for number, part in enumerate(found):
        if isinstance(part, cst.If) and part.orelse is None and ends(part.body) and asks(part.test):
            return found[:number]
    return found


def _prepared(node: cst.CSTNode, lazy: bool) -> bool:
    match node:
        case cst.If(test=test) | cst.IfExp(test=test):
            return asks(test)
        case cst.Try(handlers=handlers):
            return any(map(_catches, handlers))
        case cst.BooleanOperation(left=left):
            return asks(left)
        case cst.Annotation():
            return lazy
        case cst.AssignTarget(target=cst.Attribute()) | cst.Del():
            return True
    return False


def _catches(handler: cst.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elements if isinstance(handler.type, cst.Tuple) else (handler.type,)
    names = [dotted(kind.value if isinstance(kind, cst.Element) else kind) or "" for kind in kinds]
    return any(name.rpartition(".")[2] in _ERRORS for name in names)
