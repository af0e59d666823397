"""What the parameters of a function hold when it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.annotations import promised
from gotcha_lint.analysis.roles import BOUNDARIES
from gotcha_lint.analysis.sites import Trace
from gotcha_lint.analysis.trees import structure
from gotcha_lint.analysis.values import (
    OPTIMIZER,
    STATIC,
    STATIC_SELF,
    TRACED,
    TRACER,
    UNKNOWN,
    ClassId,
    Kind,
    Value,
    instance,
)

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def bind_parameters(flow: Flow) -> None:
    """Assigns them, each with an identity of its own."""
    for position, param in enumerate(flow.function.params):
        value = _parameter(flow, position, param.name)
        ident = value.ident or -1 - position
        flow.assign_name(param.name, value._replace(ident=ident, param=param.name))


def _parameter(flow: Flow, position: int, name: str) -> Value:
    param, trace = flow.function.params[position], flow.body.trace
    if position == 0 and flow.function.is_method and param.kind == "positional":
        return _self_value(flow, name, trace)
    if param.kind == "kwargs":
        return Value(Kind.LIST, of="dict", tracer=trace is not None)
    if param.kind == "star":
        return Value(Kind.LIST, of="tuple", tracer=trace is not None)
    annotated = promised(flow, param.annotation)
    if trace is None:
        plain_object = annotated.kind is Kind.OBJECT and annotated.cls is None
        seen = flow.view.get(("param", flow.id, name))
        if annotated.kind not in (Kind.UNKNOWN, Kind.STATIC) and not plain_object:
            if seen is None:
                return annotated
            own = annotated.kind is Kind.ARRAY and seen.kind is Kind.OBJECT and seen.cls is not None
            if own or seen.kind is Kind.HOST or seen.of == "host-tree":
                return seen  # the annotation is wrong
            of = structure(seen) if annotated.kind is Kind.TREE else annotated.of
            return annotated._replace(of=of)
        if plain_object:  # what it is made of is better than "an optimizer"
            return seen if seen is not None and seen.of == annotated.of else annotated
        if seen is not None and annotated.kind is Kind.STATIC and seen.kind is Kind.FUNCTION:
            return seen  # better than "a callable"
        return annotated if annotated.kind is not Kind.UNKNOWN else seen or UNKNOWN
    seen = flow.view.get(("tparam", flow.id, name))
    if name in trace.static:  # or bound by a partial, then it may well be an array
        known = seen is not None and (seen.kind is not Kind.UNKNOWN or seen.tracer)
        return seen if seen and known else annotated if annotated.kind is Kind.STATIC else STATIC
    if trace.direct and (trace.wrt is None or name in trace.wrt):
        if seen is not None and seen.tracer and param.default is not None:
            flow.body.given |= {name}
        return _traced_parameter(flow, seen, annotated, param.default)
    if seen is not None and seen != UNKNOWN:
        return _default_too(seen, param.default)
    if annotated.kind is Kind.ARRAY and not trace.soft and (trace.staged or not trace.direct):
        # Whatever the annotation says, a setting may be given: it is known where none is seen.
        return TRACER._replace(maybe=bool(flow.view.get(("unsure", flow.id, name))))
    return annotated


def _default_too(seen: Value, default: cst.BaseExpression | None) -> Value:
    if default is None or not seen.tracer:
        return seen
    return seen._replace(maybe=True)


def _traced_parameter(
    flow: Flow, seen: Value | None, annotated: Value, default: cst.BaseExpression | None
) -> Value:
    """A parameter of a function that is given to a transform."""
    assert flow.body.trace is not None
    trace = flow.body.trace
    array = annotated.kind is Kind.ARRAY and (seen is None or seen.kind is Kind.ARRAY)
    known = trace.known or (trace.filtered and array)
    maybe = default is not None or trace.soft or not known
    number = annotated.kind is Kind.STATIC and annotated.of in ("int", "float", "bool")
    if number and trace.chain[-1][1].startswith("pallas "):
        return annotated  # a kernel is given references: what fills this is not seen
    whole = seen is not None and seen.kind in (Kind.OBJECT, Kind.TREE)
    if seen is not None and whole and annotated.kind is Kind.OBJECT and annotated.cls:
        return annotated._replace(tracer=seen.tracer)  # often of a class below
    if seen is not None and seen.of == OPTIMIZER:
        return seen if default is None else annotated  # no transform changes it
    if seen is not None and seen.kind is not Kind.UNKNOWN:
        return seen._replace(maybe=seen.maybe or maybe)
    if annotated.kind in (Kind.ARRAY, Kind.KEY, Kind.TREE):
        return annotated._replace(tracer=True, maybe=maybe)
    if annotated.kind is Kind.OBJECT:
        return annotated._replace(tracer=True)
    if annotated.kind is Kind.STATIC and flow.body.trace.soft:
        return annotated  # `model(x, train: bool)`: nobody has seen it traced
    if number:
        return TRACER._replace(maybe=maybe)
    return TRACED._replace(maybe=maybe)


def _self_value(flow: Flow, name: str, trace: Trace | None) -> Value:
    cls = flow.function.cls
    assert cls is not None
    cid: ClassId = (flow.model.path, cls.number)
    if flow.function.has_decorator("classmethod"):
        return Value(Kind.CLASS, of=cls.name, cls=cid)
    traced = trace is not None and trace.direct and name not in trace.static and not trace.soft
    if traced or trace is None or trace.soft or not trace.direct:
        return instance(cls.name, cls=cid, tracer=traced)
    keyed = not BOUNDARIES.isdisjoint(trace.roles)
    return instance(cls.name, cls=cid, literal=STATIC_SELF if keyed else None)
