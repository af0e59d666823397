"""Assignments to environment variables, with what is assigned as far as it is written out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Body, Call, Store
from gotcha_lint.analysis.syntax import arguments, literal
from gotcha_lint.queries.places import small_statements

# In a text: a part that is not written there, and what an environment variable held.
UNKNOWN, HELD = "\0", "\1"
_READS = frozenset({"os.environ.get", "os.getenv"})
_DEEP = 20


class Variable(NamedTuple):
    name: str
    place: Store | Call
    value: cst.BaseExpression | None
    added: bool = False  # put behind what it holds


def variables(body: Body) -> Iterator[Variable]:
    """The variables that a function sets, by whichever way."""
    for store in body.of(Store):
        if store.base.of == "os.environ" and isinstance(store.node, cst.Subscript):
            part = store.node.slice[0].slice
            name = literal(part.value) if isinstance(part, cst.Index) else None
            if isinstance(name, str):
                yield Variable(name, store, _assigned(store), store.augmented)
    for call in body.of(Call):
        if call.name == "os.environ.update":
            yield from _updated(call)
        elif call.name in ("os.environ.setdefault", "os.putenv") and call.args:
            name = literal(call.arg_node(0, "key"))
            if isinstance(name, str):
                yield Variable(name, call, call.arg_node(1, "value"))


def _assigned(store: Store) -> cst.BaseExpression | None:
    for small in small_statements(store.at):
        match small:
            case cst.Assign(targets=targets, value=value):
                if any(target.target is store.node for target in targets):
                    return value
            case cst.AugAssign(target=target, operator=cst.AddAssign(), value=value):
                if target is store.node:
                    return value
    return None


def _updated(call: Call) -> Iterator[Variable]:
    positional, keywords, _ = arguments(call.node)
    for name, arg in keywords.items():
        yield Variable(name, call, arg.value)
    given = positional[0].value if positional else None
    for element in given.elements if isinstance(given, cst.Dict) else ():
        if isinstance(element, cst.DictElement):
            name = literal(element.key)
            if isinstance(name, str):
                yield Variable(name, call, element.value)


def written(body: Body, variable: Variable) -> str:
    """The text that the variable gets; `UNKNOWN` and `HELD` stand for what is not written."""
    if variable.value is None:
        return UNKNOWN
    text = _text(Flowing(body, variable.place.at), variable.value, _DEEP)
    return HELD + text if variable.added else text


def _text(flowing: Flowing, node: cst.BaseExpression, deep: int) -> str:
    if deep == 0:
        return UNKNOWN
    if isinstance(node, cst.Name):
        origin, there = flowing.origin(node)
        known = isinstance(origin, cst.BaseExpression) and not isinstance(origin, cst.Name)
        return _text(there, origin, deep - 1) if known else UNKNOWN  # type: ignore[arg-type]
    match node:
        case cst.SimpleString():
            said = literal(node)
            return said if isinstance(said, str) else UNKNOWN
        case cst.ConcatenatedString(left=left, right=right):
            return _text(flowing, left, deep - 1) + _text(flowing, right, deep - 1)
        case cst.FormattedString(parts=parts):
            return "".join(_part(flowing, part, deep - 1) for part in parts)
        case cst.BinaryOperation(left=left, operator=cst.Add(), right=right):
            return _text(flowing, left, deep - 1) + _text(flowing, right, deep - 1)
        case cst.Call(func=cst.Attribute(value=glue, attr=cst.Name("join")), args=[one]):
            return _joined(flowing, literal(glue), one.value, deep - 1)
        case cst.Call():
            call = flowing.body.call_of(node)
            return HELD if call is not None and call.name in _READS else UNKNOWN
        case cst.Subscript(value=cst.Attribute(attr=cst.Name("environ")) | cst.Name("environ")):
            return HELD
    return UNKNOWN


def _part(flowing: Flowing, part: cst.BaseFormattedStringContent, deep: int) -> str:
    if isinstance(part, cst.FormattedStringText):
        return part.value
    known = isinstance(part, cst.FormattedStringExpression)
    return _text(flowing, part.expression, deep) if known else UNKNOWN


def _joined(flowing: Flowing, glue: object, node: cst.BaseExpression, deep: int) -> str:
    origin = flowing.resolve(node)
    if not isinstance(glue, str) or not isinstance(origin, cst.List | cst.Tuple):
        return UNKNOWN
    texts = (
        UNKNOWN if isinstance(e, cst.StarredElement) else _text(flowing, e.value, deep)
        for e in origin.elements
    )
    return glue.join(texts)
