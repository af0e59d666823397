"""Sets of strings, whose order is another one in each process."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Place
from gotcha_lint.analysis.syntax import last_word
from gotcha_lint.facts.orders import IN_ORDER, SET_METHODS, SETS
from gotcha_lint.queries.constants import origin

_OPERATORS = (cst.BitAnd, cst.BitOr, cst.BitXor, cst.Subtract)
_TEXT = (cst.SimpleString, cst.ConcatenatedString, cst.FormattedString)
_COMMON = "intersection"
_FEWER = frozenset({_COMMON, "difference", "copy"})  # of what they are called on, no more
_DEPTH = 6


def set_gone_through(place: Place, node: cst.CSTNode) -> cst.BaseExpression | None:
    """The set whose order is the order of this: itself, or in `list(names)`, `zip(names, keys)`.

    A set that is seen to hold strings, and perhaps more than one.
    """
    return _gone_through(Flowing(place.body, place.at), node, _DEPTH)


def _gone_through(flow: Flowing, node: cst.CSTNode, depth: int) -> cst.BaseExpression | None:
    if isinstance(node, cst.BaseExpression) and _is_set(flow, node, depth):
        many = not _is_one_at_most(flow, node, depth)
        return node if many and _has_strings(flow, node, depth) else None
    found, flow = flow.origin(node)
    call = flow.body.call_of(found)
    if call is None or call.name not in IN_ORDER or not depth:
        return None
    inner = (_gone_through(flow, arg.value, depth - 1) for arg in call.node.args)
    return next((names for names in inner if names is not None), None)


def _is_set(flow: Flowing, node: cst.CSTNode, depth: int) -> bool:
    node, flow = origin(flow, node)
    match node:
        case cst.Set() | cst.SetComp():
            return True
        case cst.BinaryOperation(left=left, operator=operator, right=right) if depth:
            sides = [_is_set(flow, side, depth - 1) or _is_keys(side) for side in (left, right)]
            return isinstance(operator, _OPERATORS) and any(sides)
        case cst.Call(func=cst.Attribute(value=base, attr=cst.Name(value=name))) if depth:
            return name in SET_METHODS and _is_set(flow, base, depth - 1)
        case cst.Call(func=cst.Name(value=name)):
            return name in SETS
    return False


def _has_strings(flow: Flowing, node: cst.CSTNode, depth: int) -> bool:
    """What is put into it, or into one of the sets that it is made of."""
    node, flow = origin(flow, node)
    match node:
        case (
            cst.Set(elements=elements) | cst.List(elements=elements) | cst.Tuple(elements=elements)
        ):
            return any(isinstance(each.value, _TEXT) for each in elements)
        case cst.SetComp(elt=elt) | cst.ListComp(elt=elt) | cst.GeneratorExp(elt=elt):
            return isinstance(elt, _TEXT)
        case cst.BinaryOperation(left=left, right=right) if depth:
            return any(_has_strings(flow, side, depth - 1) for side in (left, right))
        case cst.Call(args=args) if depth:
            if _is_keys(node):
                return True
            parts = [arg.value for arg in args]
            if isinstance(node.func, cst.Attribute):
                parts.append(node.func.value)
            return any(_has_strings(flow, part, depth - 1) for part in parts)
    return False


def _is_one_at_most(flow: Flowing, node: cst.CSTNode, depth: int) -> bool:
    node, flow = origin(flow, node)
    match node:
        case (
            cst.Set(elements=elements) | cst.List(elements=elements) | cst.Tuple(elements=elements)
        ):
            return len(elements) < 2 and not any(map(_is_starred, elements))
        case cst.BinaryOperation(left=left, operator=cst.BitAnd(), right=right) if depth:
            return any(_is_one_at_most(flow, side, depth - 1) for side in (left, right))
        case cst.BinaryOperation(left=left, operator=cst.Subtract()) if depth:
            return _is_one_at_most(flow, left, depth - 1)
        case cst.Call(func=cst.Attribute(value=base, attr=cst.Name(value=name))) if depth:
            sides = [base, *(arg.value for arg in node.args)] if name == _COMMON else [base]
            return name in _FEWER and any(_is_one_at_most(flow, s, depth - 1) for s in sides)
        case cst.Call(args=[cst.Arg(value=given)]) if depth:
            return last_word(node.func) in SETS and _is_one_at_most(flow, given, depth - 1)
    return False


def _is_starred(element: cst.BaseElement) -> bool:
    return isinstance(element, cst.StarredElement)


def _is_keys(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and last_word(node.func) == "keys" and not node.args
