"""Definitions of functions, lambdas and classes, and what decorators make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.annotations import promised
from gotcha_lint.analysis.calls import apply, callee_of
from gotcha_lint.analysis.model import Class, Function
from gotcha_lint.analysis.sites import Call, Define
from gotcha_lint.analysis.values import GETTERS, Kind, Value, defined

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def on_function(flow: Flow, node: cst.FunctionDef) -> None:
    function = _define(flow, node)
    value = defined((flow.model.path, function.number))._replace(site=flow.site(node))
    for decorator in reversed(node.decorators):
        value = _decorate(flow, decorator, value)
    if function.cls is not None and node.decorators:
        flow.effect(("attr", (flow.model.path, function.cls.number), function.name), value)
    elif function.cls is None:
        flow.assign_name(function.name, value)


def on_lambda(flow: Flow, node: cst.Lambda) -> Value:
    fid = (flow.model.path, _define(flow, node).number)
    return defined(fid)._replace(made="lambda", site=flow.site(node))


def _define(flow: Flow, node: cst.FunctionDef | cst.Lambda) -> Function:
    """Its defaults are worth what they are here, and so is what it captures."""
    function = flow.model.by_node[id(node)]
    assert isinstance(function, Function)
    for param in function.params:
        if param.default is not None:
            flow.eval(param.default)
    captures = {name: flow.load(name) for name in function.captured}
    flow.record(Define, node, function, captures)
    return function


def on_class(flow: Flow, node: cst.ClassDef) -> None:
    cls = flow.model.by_node[id(node)]
    assert isinstance(cls, Class)
    cid = (flow.model.path, cls.number)
    outer, before = flow.scopes, dict(flow.state.env) if flow.state else {}
    flow.scopes = [*outer, cls.scope]
    for statement in node.body.body:
        if flow.state is None:
            break
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            _class_field(flow, cid, small, statement)
        if isinstance(statement, cst.BaseCompoundStatement):
            flow.step(statement, statement)
    flow.scopes = outer
    if flow.state is not None:
        flow.state.env = before
    value = Value(Kind.CLASS, of=cls.name, cls=cid)
    flow.assign_name(cls.name, value)


def _class_field(flow: Flow, cid: tuple[str, int], small: cst.CSTNode, line: cst.CSTNode) -> None:
    flow.step(small, line)
    match small:
        case cst.AnnAssign(target=cst.Name(value=name)):
            value = promised(flow, small.annotation.annotation)
            if value.kind is Kind.UNKNOWN and small.value is not None:
                value = flow.eval(small.value)._replace(maybe=True)
            if value.kind is Kind.ARRAY and not value.maybe and small.value is None:
                flow.effect(("promised", cid, name), True)
            if value.kind is not Kind.UNKNOWN or small.value is not None:
                flow.effect(("attr", cid, name), value)
        case cst.Assign(targets=targets):
            value = flow.eval(small.value)
            for target in targets:
                if isinstance(target.target, cst.Name):
                    flow.effect(("attr", cid, target.target.value), value)


def _decorate(flow: Flow, decorator: cst.Decorator, function: Value) -> Value:
    """The value of a function after one decorator; recorded as a call of the decorator with it."""
    node = decorator.decorator
    callee, base, name = (
        callee_of(flow, node) if not isinstance(node, cst.Call) else (flow.eval(node), None, "")
    )
    if callee.kind is Kind.NAMED:
        name = callee.of
    if name in GETTERS:
        return function._replace(literal=GETTERS[name])
    if name in _TRANSPARENT:
        return function
    result = apply(flow, node, callee, (function,), {}, base, name, False)
    call = flow.model.call_of(decorator)
    flow.record(Call, call, name, callee, (function,), {}, result, base=base, decorator=True)
    return result if result.kind is not Kind.UNKNOWN else function._replace(maybe=True)


_TRANSPARENT = frozenset(
    [
        "builtins.staticmethod",
        "builtins.classmethod",
        "abc.abstractmethod",
        "typing.overload",
        "flax.linen.compact",
        "flax.linen.nowrap",
        "typing.override",
        "typing.final",
        "functools.singledispatch",
        "contextlib.contextmanager",
        "chex.assert_max_traces",
    ]
)
