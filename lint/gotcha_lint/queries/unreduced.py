"""Gradients inside of shard_map that no device exchanges with the others."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import right_side
from gotcha_lint.analysis.roles import GRADS
from gotcha_lint.analysis.sites import Bind, Body, Call, Return
from gotcha_lint.analysis.syntax import dotted, names_in, target_names, walk
from gotcha_lint.analysis.values import OPTIMIZER, Kind
from gotcha_lint.facts.sharding import COLLECTIVES, LOCAL, SUMS
from gotcha_lint.facts.updates import STATE_UPDATES
from gotcha_lint.queries.returned import function_of


def unreduced(body: Body, replicated: set[str], split: set[str]) -> Iterator[Call]:
    """The calls that take gradients by replicated parameters, of losses of a part of the data,
    which are returned as each device has them."""
    for call in body.of(Call):
        if not call.starred and [via.name in GRADS for via in call.callee.via] == [True]:
            gradients = _Gradients(call)
            if gradients.are_of(replicated, split) and gradients.stay():
                yield call


class _Gradients:
    """What one call gives, and the names that hold it."""

    def __init__(self, call: Call) -> None:
        self.call, self.body = call, call.body
        self.loss = function_of(call.body, call.callee._replace(via=()))
        self.names = frozenset(_names(call))

    def are_of(self, replicated: set[str], split: set[str]) -> bool:
        """By these parameters, and of a loss that is given those, or captures them."""
        if self.loss is None or self.call.at.loops:
            return False
        wrt = {self._root(self.call.arg_node(place)) for place in self.call.callee.via[0].wrt}
        captured = [cst.Name(name) for name in self.loss.captured]
        used = self._made_of(self.call, *self.call.node.args, *captured)
        return bool(wrt) and wrt <= replicated and bool(used & split)

    def _root(self, node: cst.CSTNode | None) -> str:
        """`state` of `state.params`, and of `params` after `params, opt_state = state`."""
        name = (dotted(node) or "").partition(".")[0]
        binds = self._binds(name, self.call.at.order)
        if not binds:
            return name
        return self._root(_source(binds[0])) if len(binds) == 1 else ""

    def stay(self) -> bool:
        """They are returned, nothing sums them, and nobody is given them who may."""
        if self._sums_elsewhere():
            return False
        calls = [call for call in self.body.of(Call) if call is not self.call]
        given = [call for call in calls if self._reach(call, *call.node.args, *_owner(call))]
        returned = any(self._reach(site, site.node) for site in self.body.of(Return))
        return returned and all(map(_is_local, given))

    def _reach(self, site: Call | Return, *nodes: cst.CSTNode) -> bool:
        """One of the nodes is made of them."""
        if any(part is self.call.node for node in nodes for part in walk(node)):
            return True
        return self.call.at.order < site.at.order and bool(self.names & self._made_of(site, *nodes))

    def _made_of(self, site: Call | Return, *nodes: cst.CSTNode) -> set[str]:
        """The names in these, and those that they were made of until then."""
        found, seen = set[str](), set[int]()
        stack = [(node, site.at.order) for node in nodes]
        while stack:
            node, order = stack.pop()
            for name in names_in(node):
                found.add(name)
                for bind in self._binds(name, order):
                    source = _source(bind)
                    if source is not None and bind.at.order not in seen:
                        seen.add(bind.at.order)
                        stack.append((source, bind.at.order))
        return found

    def _binds(self, name: str, order: int) -> list[Bind]:
        return [b for b in self.body.of(Bind) if b.name == name and b.at.order < order]

    def _sums_elsewhere(self) -> bool:
        """Inner functions exchange something, or the loss more than its sum."""
        loss = _collectives(self.loss.node) if self.loss else []
        called = [name for call in self.body.of(Call) for name in _collectives(call.node.func)]
        known = {id(name) for name in (*called, *loss)}
        inner = (name for name in _collectives(self.body.function.node) if id(name) not in known)
        return any(name.value not in SUMS for name in loss) or next(inner, None) is not None


def _collectives(node: cst.CSTNode) -> list[cst.Name]:
    return [n for n in walk(node) if isinstance(n, cst.Name) and n.value in COLLECTIVES]


def _source(bind: Bind) -> cst.CSTNode | None:
    return bind.source or right_side(bind.at.statement)


def _names(call: Call) -> Iterator[str]:
    """`grads` of `loss, grads = jax.value_and_grad(f)(w)`."""
    line = call.at.statement
    for part in line.body if isinstance(line, cst.SimpleStatementLine) else ():
        if isinstance(part, cst.Assign) and part.value is call.node:
            target = part.targets[0].target
            if isinstance(target, cst.Tuple) and call.callee.via[0].name == "value_and_grad":
                target = target.elements[-1].value
            yield from (name.value for name in target_names(target))


def _owner(call: Call) -> list[cst.CSTNode]:
    """`grads` of `grads.get(x)`."""
    return [call.node.func.value] if isinstance(call.node.func, cst.Attribute) else []


def _is_local(call: Call) -> bool:
    """It changes nothing between devices."""
    name, last = call.name, call.name.rpartition(".")[2]
    if last in COLLECTIVES or call.decorator:
        return False
    if name == f"{OPTIMIZER}.update":
        made = call.base.literal if call.base and not call.base.maybe else None
        return isinstance(made, frozenset) and "optax.stateless" not in made
    if name == "jax.tree.map":
        given = call.args[0].kind if call.args else Kind.UNKNOWN
        return given is Kind.NAMED or isinstance(call.arg_node(0, "f"), cst.Lambda)
    if call.callee.kind is Kind.CLASS or last in STATE_UPDATES - {"apply_gradients"}:
        return True
    return name.startswith(LOCAL) and call.body.fact(call).transform is None
