"""Programs that are made again, by what a method calls after it has assigned an attribute."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import dotted, last_word, walk
from gotcha_lint.analysis.values import FunctionId

_PROGRAMS = frozenset({"jit", "pmap"})


def makes_them_after(body: Body, writer: Function, name: str) -> bool:
    """`self.tau = ...`, then `self.train()`, which jits: no program is older than the value."""
    assert writer.cls is not None and body.project is not None
    makers = [method for method in writer.cls.methods.values() if _makes(method)]
    if any(_is_first(maker.name) or _keeps(maker) for maker in makers):
        return False
    made_in = {(body.model.path, maker.number) for maker in makers}
    writing = _leading(body, {(body.model.path, writer.number)})
    if makers and made_in.isdisjoint(writing) and not any(map(_gives, makers)):
        return True  # they run to their end between two assignments
    leading = _leading(body, made_in)
    names = {body.project.function(fid).name for fid in leading}
    if any(map(_is_first, names)):
        return False
    nodes = list(walk(writer.node))
    stores = [n for n, node in enumerate(nodes) if _stored(node, writer) == name]
    calls = [n for n, node in enumerate(nodes) if _called(node, writer) in names]
    return bool(stores and calls) and max(stores) < min(calls)


def _is_first(name: str) -> bool:
    return name in ("__init__", "__post_init__")


def _makes(method: Function) -> bool:
    """It jits in its body: what decorates it was done once."""
    body = method.node.body
    return isinstance(body, cst.CSTNode) and bool(_PROGRAMS & _names(body))


def _keeps(maker: Function) -> bool:
    """It keeps a program on the object: the next call may not make another."""
    bound, programs = _bound(maker), set(_PROGRAMS)
    for node in bound:
        if programs & _names(node.value):
            programs |= _names(*(target.target for target in node.targets))
    return any(_stored(node, maker) and programs & _names(node.value) for node in bound)


def _gives(maker: Function) -> bool:
    """It returns a program, and not only what one has computed."""
    programs = set[str]()
    for node in _bound(maker):
        if _is_program(node.value, programs):
            programs |= _names(*(target.target for target in node.targets))
    given = [node.value for node in walk(maker.node) if isinstance(node, cst.Return)]
    return any(_is_program(node, programs) for node in given if node is not None)


def _is_program(node: cst.BaseExpression, programs: set[str]) -> bool:
    calls = [part for part in walk(node) if isinstance(part, cst.Call)]
    if calls:
        return calls[0] is node and last_word(calls[0].func) in _PROGRAMS
    return not programs.isdisjoint(_names(node))


def _bound(maker: Function) -> list[cst.Assign]:
    return [node for node in walk(maker.node) if isinstance(node, cst.Assign)]


def _names(*nodes: cst.CSTNode) -> set[str]:
    return {part.value for node in nodes for part in walk(node) if isinstance(part, cst.Name)}


def _leading(body: Body, makers: set[FunctionId]) -> set[FunctionId]:
    """The functions that call these, and those that call them."""
    found, new = set(makers), set(makers)
    while new:
        new = {fid for one in new for fid in body.usage.callers.get(one, ())} - found
        found |= new
    return found


def _stored(node: cst.CSTNode, method: Function) -> str:
    """The attribute of `self` that this assigns."""
    return next((attr for target in _targets(node) if (attr := _of_self(target, method))), "")


def _targets(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    match node:
        case cst.Assign():
            yield from (target.target for target in node.targets)
        case cst.AugAssign() | cst.AnnAssign():
            yield node.target


def _called(node: cst.CSTNode, method: Function) -> str:
    return _of_self(node.func, method) if isinstance(node, cst.Call) else ""


def _of_self(node: cst.CSTNode, method: Function) -> str:
    owner, _, attr = (dotted(node) or "").rpartition(".")
    return attr if owner and owner == method.self_name else ""
