"""Does a method that changes an attribute leave no old program behind it?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import dotted, walk

Makes = Callable[[cst.CSTNode], bool]
_STRUCTURES = ("nnx.split", "nnx.graphdef")


def throws_away(body: Body, method: Function, changed: str) -> bool:
    """It clears what holds the compiled function, or the flag that says that there is one."""
    cleared = _assigned(method, _is_empty) - {changed}
    if not cleared or method.cls is None:
        return False
    others = [one for one in method.cls.methods.values() if one.node is not body.function.node]
    makes = _makes(body)
    makers = {one.name for one in others if any(map(makes, walk(one.node)))}
    found = (_holders(one, makes, makers) | _flags(one, makes, makers) for one in others)
    return any(cleared & attrs for attrs in found)


def keeps_structure(method: Function, name: str) -> bool:
    """`self.x, params = nnx.split(model)`: the graph of the model, the same one each time."""
    given = [value for attr, value in _assignments(method) if attr == name]
    return bool(given) and all(
        isinstance(value, cst.Call) and (dotted(value.func) or "").endswith(_STRUCTURES)
        for value in given
    )


def _makes(body: Body) -> Callable[[cst.CSTNode], bool]:
    """Is a node the call that jits this function, as far as is known?"""
    function, model = body.function, body.model
    traced = body.trace.chain[-1][0] if body.trace is not None and body.trace.chain else ("", -1)
    known = model.node(traced[1]) if traced[0] == model.path and traced[1] >= 0 else None

    def makes(node: cst.CSTNode) -> bool:
        if node is known:
            return True
        if not isinstance(node, cst.Call):
            return False
        given = {part.value for part in walk(node) if isinstance(part, cst.Name)}
        return function.name in given and _has_jit(node.func)

    return makes


def _holders(method: Function, makes: Makes, makers: Collection[str]) -> set[str]:
    """The attributes that it puts the compiled function into."""
    own = _own(method)
    return {attr for attr, value in _assignments(method) if _made_in(value, own, makes, makers)}


def _made_in(node: cst.CSTNode, own: str, makes: Makes, makers: Collection[str]) -> bool:
    """The program is made there, or in a method that is called there."""
    calls = {f"{own}.{name}" for name in makers}
    return any(
        makes(part) or (isinstance(part, cst.Call) and dotted(part.func) in calls)
        for part in walk(node)
    )


def _flags(method: Function, makes: Makes, makers: Collection[str]) -> set[str]:
    """The attributes that decide whether the program is made: `if not self.ready:` around that."""
    own = _own(method)
    if not _made_in(method.node, own, makes, makers):
        return set()
    found: set[str] = set()
    for part in walk(method.node):
        if isinstance(part, cst.If):
            off = _made_in(part.body, own, makes, makers)
            orelse = part.orelse is not None and _made_in(part.orelse, own, makes, makers)
            if off or orelse or _leaves(part):
                found |= _asked_for(part.test, own, off=off)
    return found


def _leaves(node: cst.If) -> bool:
    """`if self.ready: return`."""
    last = list(walk(node.body.body[-1]))
    return any(isinstance(part, cst.Return) for part in last[:2])


def _asked_for(test: cst.CSTNode, own: str, *, off: bool) -> set[str]:
    """The attributes in a test; with `off`, those that it asks to be false or None."""
    kinds = cst.UnaryOperation | cst.Comparison
    tops = [part for part in walk(test) if isinstance(part, kinds)] if off else [test]
    names = (dotted(part) or "" for top in tops for part in walk(top))
    return {attr for head, _, attr in (name.partition(".") for name in names) if head == own}


def _own(method: Function) -> str:
    return method.params[0].name if method.params else ""


def _assigned(method: Function, fits: Callable[[cst.CSTNode], bool]) -> set[str]:
    return {attr for attr, value in _assignments(method) if fits(value)}


def _assignments(method: Function) -> Iterator[tuple[str, cst.CSTNode]]:
    """The attributes of `self` that are assigned, of a tuple the first, with what is assigned."""
    own = _own(method)
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


def _has_jit(func: cst.CSTNode) -> bool:
    words = (node.value for node in walk(func) if isinstance(node, cst.Name))
    return any(word.endswith("jit") or word == "pmap" for word in words)
