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
from gotcha_lint.analysis.computing import note_computing
from gotcha_lint.analysis.flags import known_flags, take_side, told_flags
from gotcha_lint.analysis.model import FileModel, Function, Scope
from gotcha_lint.analysis.names import outside
from gotcha_lint.analysis.parameters import bind_parameters
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import At, Body, Call, Loop, Place, Trace
from gotcha_lint.analysis.standing import Guard
from gotcha_lint.analysis.state import State
from gotcha_lint.analysis.tables import Effects, Key, View, merge
from gotcha_lint.analysis.values import (
    FRESH,
    UNKNOWN,
    FunctionId,
    Site,
    Value,
    anonymous,
    identified,
    join,
    untraced,
)

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
        self.state: State | None = State({}, {})
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
