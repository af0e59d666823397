"""Does a method that changes an attribute leave no old program behind it?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.syntax import dotted, walk

_STRUCTURES = ("nnx.split", "nnx.graphdef")


def throws_away(method: Function, methods: Mapping[str, Function], changed: str) -> bool:
    """It clears what holds the compiled function, or the flag that says that there is one."""
    cleared = _assigned(method, _is_empty) - {changed}
    return bool(cleared) and any(cleared & _compiled(other) for other in methods.values())


def keeps_structure(method: Function, name: str) -> bool:
    """`self.x, params = nnx.split(model)`: the graph of the model, the same one each time."""
    given = [value for attr, value in _assignments(method) if attr == name]
    return bool(given) and all(
        isinstance(value, cst.Call) and (dotted(value.func) or "").endswith(_STRUCTURES)
        for value in given
    )


def _compiled(method: Function) -> set[str]:
    """The attributes that a method puts a jitted function into, and the flags that it sets."""
    programs = _assigned(method, _has_jit)
    return programs | _assigned(method, _is_true) if programs else set()


def _assigned(method: Function, fits: Callable[[cst.CSTNode], bool]) -> set[str]:
    return {attr for attr, value in _assignments(method) if fits(value)}


def _assignments(method: Function) -> Iterator[tuple[str, cst.CSTNode]]:
    """The attributes of `self` that are assigned, of a tuple the first, with what is assigned."""
    own = method.params[0].name if method.params else ""
    for node in walk(method.node):
        if isinstance(node, cst.Assign):
            for target in node.targets:
                head, _, attr = (dotted(_first(target.target)) or "").partition(".")
                if own and head == own and attr:
                    yield attr, node.value


def _first(target: cst.BaseExpression) -> cst.CSTNode:
    match target:
        case cst.Tuple(elements=[first, *_]):
            return first.value
        case cst.Subscript(value=value):
            return value
    return target


def _is_empty(value: cst.CSTNode) -> bool:
    match value:
        case cst.Name(value="None" | "False") | cst.Dict(elements=[]):
            return True
    return False


def _is_true(value: cst.CSTNode) -> bool:
    return isinstance(value, cst.Name) and value.value == "True"


def _has_jit(value: cst.CSTNode) -> bool:
    words = (node.value for node in walk(value) if isinstance(node, cst.Name))
    return any(word.endswith("jit") or word == "pmap" for word in words)
