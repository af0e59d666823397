"""Is a place prepared for a name that may be missing?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.syntax import children, dotted, ends, literal, walk
from gotcha_lint.rule import text_of

_ERRORS = frozenset(
    {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}
)
_ASKS = (
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
    words = frozenset(part for node in wanted for part in _words(node))
    found: list[cst.CSTNode] = []
    stack: list[cst.CSTNode] = [model.tree]
    while stack:
        node = stack.pop()
        if id(node) in ids:
            found.append(node)
        if not _prepared(node, lazy, words):
            stack.extend(reversed(_reached(node, words)))
    return found


def asks(test: cst.CSTNode, words: Collection[str]) -> bool:
    """A condition that tells releases apart, by their number or by what they have.

    `words` are those of the names that may be missing: `hasattr(env, "reset")` asks for another.
    """
    text = text_of(test).lower()
    if any(word in text for word in _ASKS):
        return True
    return "attr" in text and any(_asks_for(node, words) for node in walk(test))


def _asks_for(node: cst.CSTNode, words: Collection[str]) -> bool:
    match node:
        case cst.Call(func=cst.Name(value="hasattr" | "getattr"), args=[owner, name, *_]):
            asked = literal(name.value)
            return not isinstance(asked, str) or asked in words or _is_part(owner.value, words)
    return False


def _is_part(node: cst.BaseExpression, words: Collection[str]) -> bool:
    """`jax.tree_util` of `jax.tree_util.tree_map`: another name there tells the release too."""
    return set((dotted(node) or "?").split(".")) <= set(words)


def _words(node: cst.CSTNode) -> Iterator[str]:
    return (part.value for part in walk(node) if isinstance(part, cst.Name))


def _reached(node: cst.CSTNode, words: Collection[str]) -> list[cst.CSTNode]:
    """The children of a node; of a block those up to `if version >= ...: return`."""
    found = children(node)
    for number, part in enumerate(found):
        if part.__class__ is cst.If and _leaves(part, words):  # type: ignore[arg-type]
            return found[:number]
    return found


def _leaves(node: cst.If, words: Collection[str]) -> bool:
    return node.orelse is None and ends(node.body) and asks(node.test, words)


def _prepared(node: cst.CSTNode, lazy: bool, words: Collection[str]) -> bool:
    kind = node.__class__
    if kind is cst.Annotation:
        return lazy
    ready = _PREPARED.get(kind)
    return ready is not None and ready(node, words)


_PREPARED: dict[type, Callable[[Any, Collection[str]], bool]] = {
    cst.If: lambda node, words: asks(node.test, words),
    cst.IfExp: lambda node, words: asks(node.test, words),
    cst.Try: lambda node, _: any(map(_catches, node.handlers)),
    cst.BooleanOperation: lambda node, words: asks(node.left, words),
    cst.AssignTarget: lambda node, _: node.target.__class__ is cst.Attribute,
    cst.Del: lambda _node, _: True,
}


def _catches(handler: cst.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elements if isinstance(handler.type, cst.Tuple) else (handler.type,)
    names = [dotted(kind.value if isinstance(kind, cst.Element) else kind) or "" for kind in kinds]
    return any(name.rpartition(".")[2] in _ERRORS for name in names)
