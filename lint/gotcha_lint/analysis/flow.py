"""A forward pass over one function: what its names hold at each place, branch by branch.

`Flow` keeps the state; `statements`, `expressions` and `calls` know the syntax and the semantics.
Loops are walked twice, so that what one turn leaves behind is seen by the next; only the last walk
is recorded. What other functions need to know goes to `effects`.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from gotcha_lint.analysis import expressions, known, statements
from gotcha_lint.analysis.model import Class, FileModel, Function, Imported, Scope
from gotcha_lint.analysis.project import Project, Symbol
from gotcha_lint.analysis.sites import At, Body, Call, Guard, Loop, Place, Trace
from gotcha_lint.analysis.state import State
from gotcha_lint.analysis.tables import Effects, Key, View, merge
from gotcha_lint.analysis.values import (
    STATIC,
    TRACED,
    TRACER,
    UNKNOWN,
    ClassId,
    FunctionId,
    Kind,
    Site,
    Value,
    anonymous,
    defined,
    identified,
    instance,
    join,
    named,
    untraced,
)

_HANDLERS = expressions.HANDLERS


class Flow:
    def __init__(self, model: FileModel, function: Function, project: Project, view: View) -> None:
        self.model, self.function, self.project, self.view = model, function, project, view
        self.facts = project.facts
        self.id: FunctionId = (model.path, function.number)
        trace: Trace | None = None if view.get(("host", self.id)) else view.get(("traced", self.id))
        self.body = Body(model, function, trace, project=project)
        self.effects: Effects = {}
        self.state: State | None = State({}, {}, {})
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

    # ---- running -------------------------------------------------------------------------------

    def run(self) -> tuple[Body, Effects]:
        """Analyses the function; returns its sites and what it tells others."""
        self._bind_parameters()
        node = self.function.node
        if isinstance(node, cst.Lambda):
            value = self.eval(node.body)
            self.effect(("return", self.id), value)
        else:
            body = node if isinstance(node, cst.Module) else node.body
            statements.block(self, body)
        if isinstance(node, cst.Module) and self.state is not None:
            for name, value in self.state.env.items():
                self.effect(("global", self.model.path, name), value)
        for name, value in self.ever.items():
            self.effect(("local", self.id, name), value)
        self.body.sites = sorted(self.places.values(), key=lambda site: site.at.order)
        return self.body, self.effects

    def _bind_parameters(self) -> None:
        for position, param in enumerate(self.function.params):
            value = self._parameter(position, param.name)
            ident = value.ident or -1 - position
            self.assign_name(param.name, value._replace(ident=ident, param=param.name))

    def _parameter(self, position: int, name: str) -> Value:
        param, trace = self.function.params[position], self.body.trace
        if position == 0 and self.function.is_method and param.kind == "positional":
            return self._self_value(name, trace)
        if param.kind == "kwargs":
            return Value(Kind.LIST, of="dict", tracer=trace is not None)
        if param.kind == "star":
            return Value(Kind.LIST, of="tuple", tracer=trace is not None)
        annotated = self.annotation(param.annotation)
        if trace is None:
            if annotated.kind not in (Kind.UNKNOWN, Kind.STATIC):
                return annotated  # what it is given is not even read: no reason to come back
            seen = self.view.get(("param", self.id, name))
            if seen is not None and annotated.kind is Kind.STATIC and seen.kind is Kind.FUNCTION:
                return seen  # better than "a callable"
            if seen is not None and annotated.kind is seen.kind is Kind.STATIC:
                return annotated._replace(varying=seen.varying)
            return annotated if annotated.kind is not Kind.UNKNOWN else seen or UNKNOWN
        seen = self.view.get(("tparam", self.id, name))
        if name in trace.static:  # or bound by a partial, then it may well be an array
            known = seen is not None and (seen.kind is not Kind.UNKNOWN or seen.tracer)
            return (
                seen if seen and known else annotated if annotated.kind is Kind.STATIC else STATIC
            )
        if trace.direct and (trace.wrt is None or name in trace.wrt):
            return self._traced_parameter(seen, annotated, param.default)
        if seen is not None and seen != UNKNOWN:
            return self._default_too(seen, param.default)
        if annotated.kind is Kind.ARRAY and not trace.soft and (trace.staged or not trace.direct):
            return TRACER
        return annotated

    def _default_too(self, seen: Value, default: cst.BaseExpression | None) -> Value:
        if default is None or not seen.tracer:
            return seen
        return seen._replace(maybe=True)

    def _traced_parameter(
        self, seen: Value | None, annotated: Value, default: cst.BaseExpression | None
    ) -> Value:
        """A parameter of a function that is given to a transform."""
        assert self.body.trace is not None
        maybe = default is not None or self.body.trace.soft or not self.body.trace.known
        if seen is not None and seen.kind is annotated.kind is Kind.OBJECT and annotated.cls:
            return annotated._replace(tracer=seen.tracer)  # often of a class below
        if seen is not None and seen.kind is not Kind.UNKNOWN:
            return seen._replace(maybe=seen.maybe or maybe)
        if annotated.kind in (Kind.ARRAY, Kind.KEY, Kind.TREE):
            return annotated._replace(tracer=True, maybe=maybe)
        if annotated.kind is Kind.OBJECT:
            return annotated._replace(tracer=True)
        if annotated.kind is Kind.STATIC and annotated.of in ("int", "float", "bool"):
            return TRACER._replace(maybe=maybe)
        return TRACED._replace(maybe=maybe)

    def _self_value(self, name: str, trace: Trace | None) -> Value:
        cls = self.function.cls
        assert cls is not None
        cid: ClassId = (self.model.path, cls.number)
        if self.function.has_decorator("classmethod"):
            return Value(Kind.CLASS, of=cls.name, cls=cid)
        traced = trace is not None and trace.direct and name not in trace.static and not trace.soft
        return instance(cls.name, cls=cid, tracer=traced)

    # ---- state ---------------------------------------------------------------------------------

    def assign_name(self, name: str, value: Value) -> None:
        if self.state is None:
            return
        self.state.env[name] = value
        self.state.rebind(name)
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
            if key[0] == "return":
                value = untraced(value)  # its caller knows whether it is traced itself
        old = self.effects.get(key)
        self.effects[key] = value if old is None else merge(key, old, value)

    def site(self, node: cst.CSTNode) -> Site:
        return self.model.path, self.model.number(node)

    def fresh(self, node: cst.CSTNode, value: Value) -> Value:
        """The value with an identity of its own, as the result made at this node."""
        ident = self.model.number(node) + 1
        if self.state is not None and self.state.used:
            self.state.used = {i: n for i, n in self.state.used.items() if i // 1024 != ident}
        return identified(value, ident * 1024)

    def record(self, kind: type[Place], node: cst.CSTNode, *values: Any, **more: Any) -> None:
        if not self.recording:
            return
        place = kind(node, self.at, self.body, *values, **more)
        self.places[kind, id(node)] = place
        if isinstance(place, Call):
            self.body.calls[id(node)] = place

    # ---- names ---------------------------------------------------------------------------------

    def eval(self, node: cst.CSTNode) -> Value:
        handler = _HANDLERS.get(node.__class__)
        return handler(self, node) if handler is not None else UNKNOWN

    def attribute(self, base: Value, name: str) -> Value:
        return expressions.attribute(self, base, name)

    def load(self, name: str) -> Value:
        """What a name holds here."""
        if self.state is not None and name in self.state.env:
            return self.state.env[name]
        key = name, self.scopes[-1]
        found = self.outside.get(key)
        if found is None:
            found = self.outside[key] = self._outside(name, self.scopes[-1])
        return found

    def _outside(self, name: str, first: Scope) -> Value:
        scope: Scope | None = first
        while scope is not None:
            how = scope.bound.get(name)
            if how is not None and (scope.kind != "class" or scope is first):
                return self._bound(name, scope, how)
            scope = scope.parent
        return self._starred(name) or named(f"builtins.{name}")

    def _starred(self, name: str) -> Value | None:
        for star in self.model.stars:
            symbol = self.project.symbol(
                f"{star}.{name}" if star.strip(".") else star + name, self.model.path
            )
            if symbol.kind != "external" or symbol.name in self.facts.rows:
                return self.of_symbol(symbol)
        return None

    def _bound(self, name: str, scope: Scope, how: list[Function | Class | str]) -> Value:
        last = how[-1]
        for one in reversed(how):
            if isinstance(one, Imported):
                return self.of_symbol(self.project.symbol(str(one), self.model.path))
        if isinstance(last, Class):
            return Value(Kind.CLASS, of=last.name, cls=(self.model.path, last.number))
        if isinstance(last, Function) and scope.kind == "class":
            return self.of_function((self.model.path, last.number))
        plain = isinstance(last, Function) and all(isinstance(h, Function) for h in how)
        if plain and isinstance(last, Function) and not _decorators(last):
            return self.of_function((self.model.path, last.number))
        found = self._stored(name, scope)
        if found is None and isinstance(last, Function):
            return self.of_function((self.model.path, last.number))
        return found or UNKNOWN

    def _stored(self, name: str, scope: Scope) -> Value | None:
        if scope.kind == "module":
            value = self.view.get(("global", self.model.path, name))
        else:
            value = self.view.get(("local", (self.model.path, scope.function.number), name))
        return None if value is None else value._replace(param="")

    def of_symbol(self, symbol: Symbol) -> Value:
        """The value that a resolved qualified name stands for."""
        match symbol.kind:
            case "external":
                return named(symbol.name)
            case "module":
                return Value(Kind.NAMED, of="", literal=symbol.path)
            case "function":
                return self.of_function((symbol.path, symbol.number))
            case "class":
                return Value(Kind.CLASS, of=symbol.name, cls=(symbol.path, symbol.number))
            case "global" | "decorated":
                found = self.view.get(("global", symbol.path, symbol.name))
                if found is None and symbol.kind == "decorated":
                    return self.of_function((symbol.path, symbol.number))
                return (found or UNKNOWN)._replace(param="", ident=0)
            case "member":
                return self.view.get(("attr", (symbol.path, symbol.number), symbol.name)) or UNKNOWN

    def of_function(self, fid: FunctionId) -> Value:
        return defined(fid)

    def annotation(self, node: cst.BaseExpression | None) -> Value:
        if node is None:
            return UNKNOWN
        name, optional = known.annotation_name(node)
        if not name:
            return UNKNOWN
        head, dot, tail = name.partition(".")
        base = self.load(head)
        value = UNKNOWN
        if base.kind is Kind.NAMED:
            full = self.facts.canonical(f"{base.of}{dot}{tail}")
            value = known.from_annotation(full, node)
        elif base.kind is Kind.CLASS and not tail:
            value = instance(base.of, cls=base.cls)
        return value._replace(maybe=True) if optional else value


def _decorators(function: Function) -> bool:
    return isinstance(function.node, cst.FunctionDef) and bool(function.node.decorators)
