"""Which attributes of a registered class are traced: the children of its `tree_flatten`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.model import Function, Imported, once, returned
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import names_in, walk
from gotcha_lint.analysis.values import ClassId

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def may_be_auxiliary(flow: Flow, cid: ClassId, name: str) -> bool:
    """A `tree_flatten` of this file does not name the attribute among the children."""
    method = flow.project.method(cid, "tree_flatten")
    if method is None or method[0] != flow.model.path:
        return False
    return name not in _children(flow.model.functions[method[1]])


@once
def _children(function: Function) -> frozenset[str]:
    """The attributes of `self` in the first of the two that it returns."""
    pairs = (value.elements for value in returned(function) if isinstance(value, cst.Tuple))
    stack: list[cst.CSTNode] = [pair[0] for pair in pairs if pair]
    seen: set[str] = set()
    found: set[str] = set()
    while stack:
        for node in walk(stack.pop()):
            match node:
                case cst.Attribute(value=cst.Name(value=owner), attr=cst.Name(value=attr)):
                    found |= {attr} if owner == function.self_name else set()
                case cst.Name(value=name) if name not in seen:
                    seen.add(name)
                    stack.extend(made(function).get(name, ()))
    return frozenset(found)


# What each name of a function is made of, wherever in it that is said: in no order, all of it


@once
def made(function: Function) -> dict[str, list[cst.CSTNode]]:
    """What each name is made of, wherever that is said, in the functions in it too."""
    found: dict[str, list[cst.CSTNode]] = defaultdict(list)
    for node in walk(function.node):
        if node.__class__ in _BINDERS:
            for target, source in _bindings(node, function):
                for name in names_in(target):
                    found[name].append(source)
    return dict(found)


_BINDERS = frozenset(
    {
        *(cst.Assign, cst.AugAssign, cst.AnnAssign, cst.NamedExpr, cst.For, cst.CompFor),
        *(cst.WithItem, cst.Expr, cst.FunctionDef),
    }
)


def _bindings(node: cst.CSTNode, function: Function) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    match node:
        case cst.Assign(targets=targets, value=value):
            yield from ((target.target, value) for target in targets)
        case cst.AugAssign(target=target, value=value) | cst.NamedExpr(target=target, value=value):
            yield target, value
        case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
            yield target, value
        case cst.For(target=target, iter=value) | cst.CompFor(target=target, iter=value):
            yield target, value
        case cst.WithItem(item=value, asname=cst.AsName(name=target)):
            yield target, value
        case cst.Expr(value=cst.Call(func=func, args=args)):  # it may change what it is given
            for changed in (func, *(arg.value for arg in args)):
                names = (part for part in walk(changed) if isinstance(part, cst.Name))
                own = [part for part in names if not is_imported(function, part.value)]
                yield from ((part, arg.value) for part in own for arg in args)
        case cst.FunctionDef(name=name, body=inside) if node is not function.node:
            yield name, inside


def is_imported(function: Function, name: str) -> bool:
    """An import alone gives the name what it stands for."""
    bound = lookup(function.scope, name)
    return bound is not None and all(isinstance(how, Imported) for how in bound)
