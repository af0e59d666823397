"""Small helpers over LibCST nodes. Nothing here uses LibCST's metadata: it is too slow by far."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from typing import Any

import libcst as cst

from gotcha_lint.text.unwarned import unwarned

# Fields that hold only layout, or names that are handled where they stand.
_LAYOUT = frozenset(
    [
        "lpar",
        "rpar",
        "leading_lines",
        "lines_after_decorators",
        "header",
        "footer",
        "comma",
        "dot",
        "equal",
        "semicolon",
        "lbracket",
        "rbracket",
        "lbrace",
        "rbrace",
        "trailing_whitespace",
        "indent",
        "encoding",
        "default_indent",
        "default_newline",
        "has_trailing_newline",
        "newline",
        "comment",
        "colon",
        "star",
        "relative",
        "asynchronous",
        "first_line",
        "empty_lines",
        "last_line",
        "lines_after_leading",
        "operator_whitespace",
        "separator",
        "open_brackets",
        "whitespace",
    ]
)
FUNCTIONS = (cst.FunctionDef, cst.Lambda)
COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)


@cache
def child_fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    """The fields of a node class that can hold expressions, statements or patterns."""
    names = (field.name for field in fields(kind)) if is_dataclass(kind) else ()
    return tuple(n for n in names if not n.startswith("whitespace") and n not in _LAYOUT)


LEAVES = frozenset({cst.Name, cst.SimpleString, cst.Integer, cst.Float})  # hold no other nodes
NOT_NODES = frozenset({type(None), str, bool, cst.MaybeSentinel})


@cache
def _backwards(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return child_fields(kind)[::-1] if kind not in LEAVES else ()


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The meaningful children of a node, in source order for all common nodes."""
    found: list[cst.CSTNode] = []
    for field in child_fields(node.__class__):
        value = getattr(node, field)
        kind = value.__class__
        if kind is tuple or kind is list:
            found.extend(value)
        elif kind not in NOT_NODES:
            found.append(value)
    return found


def walk(node: cst.CSTNode, *, into_functions: bool = True) -> Iterator[cst.CSTNode]:
    """The node and all below it, without recursion, in source order."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if not into_functions and current is not node and current.__class__ in FUNCTIONS:
            continue
        for name in _backwards(current.__class__):
            value = getattr(current, name)
            kind = value.__class__
            if kind is tuple or kind is list:
                stack.extend(reversed(value))
            elif kind not in NOT_NODES:
                stack.append(value)


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


# Classes are compared with `is`: LibCST's are abstract base classes, for which a failing isinstance
# costs ten times as much, and these functions are called for every node.


def dotted(node: cst.CSTNode | None) -> str | None:
    """`a.b.c` of a chain of attributes on a name, else None."""
    if node.__class__ is cst.Name:
        return node.value  # type: ignore[union-attr]
    parts: list[str] = []
    while node.__class__ is cst.Attribute:
        parts.append(node.attr.value)  # type: ignore[union-attr]
        node = node.value  # type: ignore[union-attr]
    if node.__class__ is not cst.Name:
        return None
    parts.append(node.value)  # type: ignore[union-attr]
    return ".".join(reversed(parts))


def last_word(node: cst.CSTNode | None) -> str:
    """`c` of `a.b.c` and of `f(x).c`; "" for what has no name."""
    if node.__class__ is cst.Attribute:
        node = node.attr  # type: ignore[union-attr]
    return node.value if node.__class__ is cst.Name else ""  # type: ignore[union-attr]


_CONSTANTS = {"True": True, "False": False}
_WRITTEN = (cst.Integer, cst.Float, cst.Imaginary, cst.SimpleString)


@lru_cache(maxsize=65536)
def evaluated(text: str) -> Any:
    """The value of a written number or string."""
    if text[0] in "'\"" and "\\" not in text and "\r" not in text:
        quotes = 3 if text.startswith(("'''", '"""')) else 1
        return text[quotes:-quotes]
    with unwarned():
        return ast.literal_eval(text)  # leaves garbage in cycles, which nobody collects in a run


def literal(node: cst.CSTNode | None) -> Any:
    """The Python value of a literal (numbers, strings, tuples and lists of them), else None."""
    kind = node.__class__
    if kind in _WRITTEN:
        return evaluated(node.value)  # type: ignore[union-attr]
    if kind is cst.Name:
        return _CONSTANTS.get(node.value)  # type: ignore[union-attr]
    if kind is cst.ConcatenatedString:
        parts = literal(node.left), literal(node.right)  # type: ignore[union-attr]
        return parts[0] + parts[1] if {*map(type, parts)} in ({str}, {bytes}) else None
    if kind is cst.UnaryOperation and node.operator.__class__ is cst.Minus:  # type: ignore[union-attr]
        value = literal(node.expression)  # type: ignore[union-attr]
        return -value if isinstance(value, int | float) else None
    if kind in (cst.Tuple, cst.List, cst.Set):
        values = [literal(e.value) for e in node.elements]  # type: ignore[union-attr]
        return None if any(v is None for v in values) else tuple(values)
    return None


def holds(outer: cst.CSTNode, node: cst.CSTNode) -> bool:
    """The node itself, or something in it."""
    return any(part is node for part in walk(outer))


def is_none(node: cst.CSTNode | None) -> bool:
    """`None`, as it is written."""
    return node.__class__ is cst.Name and node.value == "None"  # type: ignore[union-attr]


def arguments(call: cst.Call) -> tuple[list[cst.Arg], dict[str, cst.Arg], bool]:
    """Positional arguments up to the first `*`, keyword arguments, and whether any is starred."""
    positional: list[cst.Arg] = []
    keywords: dict[str, cst.Arg] = {}
    starred = False
    for arg in call.args:
        if arg.star:
            starred = True
        elif arg.keyword is not None:
            keywords[arg.keyword.value] = arg
        elif not starred:
            positional.append(arg)
    return positional, keywords, starred


def statements(body: cst.BaseSuite | cst.Module) -> tuple[cst.CSTNode, ...]:
    """The statements of a block; a one-line suite and an indented one look alike."""
    return tuple(body.body)


def target_names(target: cst.CSTNode | None) -> Iterator[cst.Name]:
    """The plain names that an assignment target binds (not attributes or subscripts)."""
    stack = [target]
    while stack:
        match node := stack.pop():
            case cst.Name():
                yield node
            case cst.Tuple(elements=elements) | cst.List(elements=elements):
                stack.extend(e.value for e in reversed(elements))
            case cst.StarredElement(value=inner):
                stack.append(inner)


def names_in(node: cst.CSTNode) -> set[str]:
    """All plain names below a node, read or bound."""
    return {part.value for part in walk(node) if part.__class__ is cst.Name}  # type: ignore[attr-defined]


def source_of(node: cst.CSTNode, limit: int = 60) -> str:
    """The node's own text on one line, shortened: for messages."""
    text = " ".join(cst.Module([]).code_for_node(node).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def ends(suite: cst.BaseSuite) -> bool:
    """Nothing after the block runs."""
    last = suite.body[-1] if suite.body else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    if isinstance(last, cst.If):
        return isinstance(last.orelse, cst.Else) and ends(last.body) and ends(last.orelse.body)
    return isinstance(last, cst.Return | cst.Raise | cst.Continue | cst.Break)


def asks_its_type(root: cst.CSTNode, name: str) -> bool:
    """It may be a tuple or not: `isinstance(y, tuple)`; or the name gets another value."""
    for node in walk(root):
        match node:
            case cst.Call(func=cst.Name(value="isinstance"), args=[cst.Arg(value=first), *_]):
                if dotted(first) == name:
                    return True
            case cst.NamedExpr(target=target) | cst.AugAssign(target=target):
                if dotted(target) == name:
                    return True
    return False
