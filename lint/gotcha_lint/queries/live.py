"""What is put back into a tree: does it come from live trees, or from a checkpoint?"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import (
    children,
    dotted,
    last_word,
    literal,
    names_in,
    target_names,
    walk,
)

_CONVERSIONS = frozenset({"to_state_dict", "to_pure_dict"})
_LOADING = ("restore", "load", "read", "open", "from_bytes", "fetch")
_NUMBERS = frozenset({"asarray", "array", "int", "float", "int32", "float32"})


def goes_back(body: Body, target: cst.BaseExpression, given: cst.BaseExpression) -> bool:
    """`from_state_dict(tree, change(to_state_dict(tree)))`: nothing in it was stored anywhere."""
    params = {param.name for param in body.function.params}
    assigned = list(_assigned(body.function.node))
    tree, waiting, seen, own = dotted(target), [given], set[str](), False
    while waiting:
        nodes = list(_outside_conversions(waiting.pop()))
        if any(map(_loads, nodes)):
            return False
        own = own or any(_converted(node) == tree for node in nodes)
        names = {node.value for node in nodes if isinstance(node, cst.Name)} - seen
        seen |= names
        waiting += [value for name, value in assigned if name in names]
        if not names.isdisjoint(params):
            return False
    return own


def is_number(body: Body, target: cst.BaseExpression | None) -> bool:
    """A count, `jnp.asarray(0)`, by itself or under a name: it has no shape to be wrong."""
    if not isinstance(target, cst.Name):
        return _is_number(target)
    found = [value for name, value in _assigned(body.function.node) if name == target.value]
    return bool(found) and _is_number(found[0])


def _is_number(node: cst.CSTNode | None) -> bool:
    match node:
        case cst.Call(func=func, args=[arg]) if last_word(func) in _NUMBERS:
            return _is_number(arg.value)
    return isinstance(literal(node), int | float)


def _assigned(function: cst.CSTNode) -> Iterator[tuple[str, cst.BaseExpression]]:
    """Each name with what is put into it: by an assignment, a loop, an item, an `update`."""
    for node in walk(function, into_functions=False):
        match node:
            case cst.Assign(targets=targets, value=value):
                yield from ((name, value) for t in targets for name in names_in(t.target))
            case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
                yield from ((name, value) for name in names_in(target))
            case cst.For(target=target, iter=value):
                yield from ((name.value, value) for name in target_names(target))
            case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=attr), args=args):
                if attr.value == "update":
                    yield from ((name, arg.value) for arg in args)


def _outside_conversions(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The parts of an expression, without the trees that are made dicts in it."""
    yield node
    if not _converted(node):
        for child in children(node):
            yield from _outside_conversions(child)


def _converted(node: cst.CSTNode) -> str:
    """The tree that `to_state_dict(tree)`, `nnx.to_pure_dict(tree)`, `tree.to_pure_dict()` read."""
    if isinstance(node, cst.Call) and last_word(node.func) in _CONVERSIONS:
        tree = node.args[0].value if node.args else getattr(node.func, "value", None)
        return dotted(tree) or "?"
    return ""


def _loads(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and any(word in last_word(node.func) for word in _LOADING)
