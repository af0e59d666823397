"""Trees that are plain dicts all the way down, because of what made them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import children, dotted, walk
from gotcha_lint.queries.stale import names_read

_PLAIN = frozenset({"to_pure_dict", "to_state_dict", "unfreeze", "msgpack_restore"})
_SAME_SHAPE = frozenset({"map", "tree_map"})  # of their second argument


def only_plain_dicts(body: Body, param: str) -> bool:
    """Every call of a nested function, which nobody else can call, fills the parameter with one."""
    function, owner = body.function, body.function.parent
    place = next((n for n, p in enumerate(function.params) if p.name == param), -1)
    if owner is None or owner.number == 0 or function.is_method or _escapes(owner, function):
        return False
    given = [*_calls(body, function.name)]
    return bool(given) and all(
        len(call.args) > place
        and not any(arg.star or arg.keyword for arg in call.args[: place + 1])
        and _is_plain(around, call.args[place].value, set())
        for around, call in given
    )


def _escapes(owner: Function, function: Function) -> bool:
    """It is returned, or given to something, and not only called."""
    known = {id(node.func) for node in walk(owner.node) if isinstance(node, cst.Call)}
    known |= {id(node) for node in children(function.node)}  # its own name
    reads = names_read(owner.node)
    return any(read.value == function.name and id(read) not in known for read in reads)


def _calls(body: Body, name: str) -> Iterator[tuple[Function, cst.Call]]:
    """The calls outside of it, with the functions that they stand in."""
    for around in body.model.functions:
        if around is body.function or isinstance(around.node, cst.Lambda):
            continue
        for node in walk(around.node, into_functions=False):
            if isinstance(node, cst.Call) and dotted(node.func) == name:
                yield around, node


def _is_plain(function: Function, node: cst.CSTNode, seen: set[str]) -> bool:
    match node:
        case cst.Name(value=name):
            values = [] if name in seen else [*_assigned(function, name)]
            bound = len(function.scope.bound.get(name, ()))
            known = len(values) == bound and bool(values)
            return name in seen or (
                known and all(_is_plain(function, value, seen | {name}) for value in values)
            )
        case cst.Subscript(value=inner):  # a part of it
            return _is_plain(function, inner, seen)
        case cst.Call(func=func, args=args):
            word = (dotted(func) or "").rpartition(".")[2]
            if word in _SAME_SHAPE and len(args) > 1:
                return _is_plain(function, args[1].value, seen)
            if word == "restore":  # built like the template
                return any(
                    arg.keyword and arg.keyword.value == "item"
                    for arg in walk(node)
                    if isinstance(arg, cst.Arg) and _is_plain(function, arg.value, seen)
                )
            return word in _PLAIN
    return False


def _assigned(function: Function, name: str) -> Iterator[cst.CSTNode]:
    for node in walk(function.node, into_functions=False):
        if isinstance(node, cst.Assign):
            for target in node.targets:
                if dotted(target.target) == name:
                    yield node.value
