"""A forward pass over one function: what its names hold at each place, branch by branch.

`Flow` keeps the state and walks the tree; the tables in `statements` and `expressions` say which
function knows each kind of node.
Loops are walked twice, so that what one turn leaves behind is seen by the next; only the last walk
is recorded. What other functions need to know goes to `effects`.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from gotcha_lint.analysis import expressions, statements
from gotcha_lint.analysis.annotations import promised
from gotcha_lint.analysis.computing import note_computing
from gotcha_lint.analysis.flags import known_flags, take_side, told_flags
from gotcha_lint.analysis.model import FileModel, Function, Scope
from gotcha_lint.analysis.names import outside
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.roles import BOUNDARIES
from gotcha_lint.analysis.sites import At, Body, Call, Loop, Place, Trace
from gotcha_lint.analysis.standing import Guard
from gotcha_lint.analysis.state import State
from gotcha_lint.analysis.tables import Effects, Key, View, merge
from gotcha_lint.analysis.values import (
    FRESH,
    OPTIMIZER,
    STATIC,
    STATIC_SELF,
    TRACED,
    TRACER,
    UNKNOWN,
    ClassId,
    FunctionId,
    Kind,
    Site,
    Value,
    anonymous,
    identified,
    instance,
    join,
    untraced,
)


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
            return annotated._replace(of="") if annotated.kind is Kind.TREE else annotated
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


_STATEMENTS, _EXPRESSIONS = statements.HANDLERS, expressions.HANDLERS


class Flow:
    def __init__(self, model: FileModel, function: Function, project: Project, view: View) -> None:
        self.model, self.function, self.project, self.view = model, function, project, view
        self.facts = project.facts
        self.id: FunctionId = (model.path, function.number)
        trace: Trace | None = None if view.get(("host", self.id)) else view.get(("traced", self.id))
        self.main = self.body = Body(model, function, trace, project=project)
        self.main.said = told_flags(self)
        self.flags = known_flags(self)
        self.effects: Effects = {}
        self.state: State | None = State({})
        self.ever: dict[str, Value] = {}  # all that a captured name ever held
        self.recording = True
        self.order = 0
        self.at = At(function.node, 0)
        self.loops: tuple[Loop, ...] = ()
        self.guards: tuple[Guard, ...] = ()
        self.places: dict[tuple[Any, ...], Place] = {}
        self.rights: dict[int, Value] = {}  # right operands of `and` and `or`
        self.breaks: list[State | None] = []
        self.scopes: list[Scope] = [function.scope]
        self.owners: set[str] = set()  # names of which attributes have been kept
        self.outside: dict[tuple[str, Scope], Value] = {}  # what names from outside hold
        self.staged = trace is not None and trace.staged
        self.made: dict[int, int] = {}  # numbers for what is made at a node, by its id

    # ---- running -------------------------------------------------------------------------------

    def run(self) -> tuple[Body, Effects]:
        """Analyses the function; returns its sites and what it tells others."""
        bind_parameters(self)
        node = self.function.node
        if isinstance(node, cst.Lambda):
            value = self.eval(node.body)
            self.effect(("return", self.id), value)
        else:
            body = node if isinstance(node, cst.Module) else node.body
            self.block(body)
        self.body = self.main
        if isinstance(node, cst.Module) and self.state is not None:
            for name, value in self.state.env.items():
                self.effect(("global", self.model.path, name), value)
        for name, value in self.ever.items():
            self.effect(("local", self.id, name), value)
        note_computing(self)
        for site in sorted(self.places.values(), key=lambda site: site.at.order):
            site.body.sites.append(site)
        return self.body, self.effects

    def block(self, body: cst.BaseSuite | cst.Module) -> None:
        for statement in body.body:
            if self.state is None:
                return  # nothing runs after return, raise, break, continue
            if statement.__class__ is cst.SimpleStatementLine:
                for small in statement.body:  # type: ignore[attr-defined]
                    self.step(small, statement)
            else:
                self.step(statement, statement)

    def step(self, node: cst.CSTNode, statement: cst.CSTNode) -> None:
        """One statement; `statement` is the line that it stands in."""
        if self.state is None:
            return
        self.order += 1
        if self.flags:
            take_side(self)
        self.at = At(statement, self.order, self.loops, self.guards)
        handler = _STATEMENTS.get(node.__class__)
        if handler is not None:
            handler(self, node)

    def eval(self, node: cst.CSTNode) -> Value:
        """What an expression is worth."""
        handler = _EXPRESSIONS.get(node.__class__)
        return handler(self, node) if handler is not None else UNKNOWN

    @property
    def turns(self) -> bool:
        """Inside of a loop that runs more than a few times."""
        return any(not loop.short for loop in self.loops)

    # ---- state ---------------------------------------------------------------------------------

    def assign_name(self, name: str, value: Value) -> None:
        if self.state is None:
            return
        self.state.env[name] = value
        if name in self.owners:
            for key in [k for k in self.state.env if k.startswith(name + ".")]:
                del self.state.env[key]
        if self.recording:
            known = self.body.names.get(name)
            self.body.names[name] = value if known is None else join(known, value)
        if name in self.function.scope.global_names:
            self.effect(("global", self.model.path, name), value)
        if name in self.function.shared:
            old, kept = self.ever.get(name), value._replace(ident=0)
            self.ever[name] = kept if old is None else join(old, kept)

    def assign_attribute(self, name: str, value: Value) -> None:
        """Keeps what a dotted name holds, until the name before its dot is assigned."""
        if self.state is not None:
            self.state.env[name] = value
            self.owners.add(name.partition(".")[0])

    def effect(self, key: Key, value: Any) -> None:
        """Tells others; identities mean nothing outside of this function."""
        if value.__class__ is Value:
            value = anonymous(value)
            if value.of == FRESH and key[0] != "return":
                value = value._replace(of="")
            if key[0] == "return":
                value = untraced(value)  # its caller knows whether it is traced itself
        old = self.effects.get(key)
        self.effects[key] = value if old is None else merge(key, old, value)

    def site(self, node: cst.CSTNode) -> Site:
        return self.model.path, self.model.number(node, self.function)

    def fresh(self, node: cst.CSTNode, value: Value) -> Value:
        """The value with an identity of its own, as the result made at this node."""
        ident = self.made.setdefault(id(node), len(self.made) + 1)
        return identified(value, ident * 1024)

    def record(self, kind: type[Place], node: cst.CSTNode, *values: Any, **more: Any) -> None:
        if not self.recording:
            return
        place = kind(node, self.at, self.body, *values, **more)
        self.places[kind, id(node)] = place
        if isinstance(place, Call):
            self.body.calls[id(node)] = place

    def load(self, name: str) -> Value:
        """What a name holds here."""
        if self.state is not None and name in self.state.env:
            return self.state.env[name]
        key = name, self.scopes[-1]
        found = self.outside.get(key)
        if found is None:
            found = self.outside[key] = outside(self, *key)
        return found
