"""Which branch accepts which class: chains of `if`, of early returns, and `match` statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Store
from gotcha_lint.analysis.syntax import dotted, literal, walk
from gotcha_lint.facts.classes import DATACLASS, NAMED_TUPLE
from gotcha_lint.queries.classes import TypeName, accepts, named_types
from gotcha_lint.queries.patterns import pattern_accepts, pattern_types


class Accepted(NamedTuple):
    """An earlier branch that takes every instance of a class."""

    subject: str
    type: TypeName
    branch: cst.CSTNode  # the `if` or `case`
    plain: bool  # the whole test is one isinstance
    chain: int = 0  # equal for the branches of one if/elif chain or match


class Unreachable(NamedTuple):
    """A branch whose class an earlier one has taken."""

    branch: cst.CSTNode
    type: TypeName
    by: Accepted
    plain: bool
    chain: int


@dataclass
class Scan:
    """One walk over the statements of a function; `taken` is what earlier branches accept."""

    body: Body
    found: list[Unreachable] = field(default_factory=list)
    next_of: dict[int, cst.CSTNode] = field(default_factory=dict)  # the statement after an `if`

    def block(self, statements: Sequence[cst.CSTNode], taken: tuple[Accepted, ...]) -> None:
        for position, statement in enumerate(statements):
            if isinstance(statement, cst.If):
                if position + 1 < len(statements):
                    self.next_of[id(statement)] = statements[position + 1]
                taken = self._if(statement, taken)
            elif isinstance(statement, cst.Match):
                self._match(statement)
            elif isinstance(statement, cst.SimpleStatementLine) and taken:
                rebound = self.bound(statement)
                taken = tuple(a for a in taken if a.subject.partition(".")[0] not in rebound)
            elif not isinstance(statement, cst.FunctionDef | cst.ClassDef):
                for part in _blocks(statement):
                    self.block(part, ())
                taken = ()

    def _if(self, first: cst.If, taken: tuple[Accepted, ...]) -> tuple[Accepted, ...]:
        """The branches of one chain; returns what is taken after it."""
        within, after, parts = taken, taken, list[cst.CSTNode]()
        current: cst.If | cst.Else | None = first
        while isinstance(current, cst.If):
            self._judge(current, current.test, within, id(first))
            here = tuple(accepted(self.body, current, current.test, id(first)))
            self.block(_statements(current.body), within)
            within += here
            if ends(current.body):
                after += here
            else:
                parts.append(current.body)
            current = current.orelse
        if current is not None:
            self.block(_statements(current.body), within)
            parts.append(current.body)
        lost = set[str]().union(*map(self.bound, parts)) if after else ()
        return tuple(a for a in after if a.subject.partition(".")[0] not in lost)

    def bound(self, node: cst.CSTNode) -> set[str]:
        """Names that are assigned anywhere in these statements."""
        return {self.binds[id(part)] for part in walk(node) if id(part) in self.binds}

    @cached_property
    def binds(self) -> dict[int, str]:
        stores = self.body.of(Store)
        found = {id(store.node): (dotted(store.node) or "").partition(".")[0] for store in stores}
        return found | {id(bind.node): bind.name for bind in self.body.of(Bind)}

    def _judge(
        self, branch: cst.CSTNode, test: cst.BaseExpression, taken: tuple[Accepted, ...], chain: int
    ) -> None:
        hit = blocked(self.body, test, taken)
        if hit is not None and hit[0].type != hit[1]:
            self.found.append(
                Unreachable(branch, hit[1], hit[0], isinstance(test, cst.Call), chain)
            )

    def _match(self, node: cst.Match) -> None:
        subject = dotted(node.subject) or "the subject"
        taken: tuple[Accepted, ...] = ()
        for case in node.cases:
            wanted = pattern_types(self.body, case.pattern)
            hits = [_first(self.body, subject, one, taken) for one in wanted]
            if (
                wanted
                and all(hits)
                and any(h.type != w for h, w in zip(hits, wanted, strict=True) if h)
            ):
                pair = next((h, w) for h, w in zip(hits, wanted, strict=True) if h and h.type != w)
                plain = case.guard is None and isinstance(case.pattern, cst.MatchClass)
                self.found.append(Unreachable(case, pair[1], pair[0], plain, id(node)))
            if case.guard is None:
                whole = pattern_accepts(self.body, case.pattern)
                taken += tuple(Accepted(subject, t, case, True, id(node)) for t in whole)
            self.block(_statements(case.body), ())


def accepted(
    body: Body, branch: cst.CSTNode, test: cst.BaseExpression, chain: int
) -> Iterator[Accepted]:
    """What surely makes the test true."""
    match test:
        case cst.BooleanOperation(left=left, operator=cst.Or(), right=right):
            for side in (left, right):
                yield from (a._replace(plain=False) for a in accepted(body, branch, side, chain))
        case cst.Call():
            tested = _tested(body, test)
            if tested is not None:
                for one in tested[1]:
                    yield Accepted(tested[0], one, branch, True, chain)


def blocked(
    body: Body, test: cst.BaseExpression, taken: tuple[Accepted, ...]
) -> tuple[Accepted, TypeName] | None:
    """An earlier branch that takes all that this test asks for, and the class in question."""
    match test:
        case cst.BooleanOperation(left=left, operator=cst.And(), right=right):
            sides = [s for part in (left, right) if (s := blocked(body, part, taken)) is not None]
            return next((s for s in sides if s[0].type != s[1]), sides[0] if sides else None)
        case cst.BooleanOperation(left=left, operator=cst.Or(), right=right):
            one, other = blocked(body, left, taken), blocked(body, right, taken)
            return one if one is not None and other is not None else None
        case cst.Call():
            tested = _tested(body, test)
            if tested is None:
                return None
            hits = [(_first(body, tested[0], one, taken), one) for one in tested[1]]
            sure = [(hit, one) for hit, one in hits if hit is not None]
            if len(sure) != len(hits):
                return None
            return next((pair for pair in sure if pair[0].type != pair[1]), sure[0])
    return None


def _first(
    body: Body, subject: str, wanted: TypeName, taken: tuple[Accepted, ...]
) -> Accepted | None:
    assert body.project is not None
    for one in taken:
        if one.subject == subject and accepts(body.project, one.type, wanted):
            return one
    return None


def _tested(body: Body, call: cst.Call) -> tuple[str, tuple[TypeName, ...]] | None:
    """The subject and the classes of `isinstance`, `is_dataclass`, `hasattr(x, "_fields")`."""
    name = getattr(body.call_of(call), "name", "")
    subject = dotted(call.args[0].value) if call.args else None
    if subject is None or any(arg.star or arg.keyword for arg in call.args):
        return None
    if name in ("builtins.isinstance", "builtins.issubclass") and len(call.args) == 2:
        types = named_types(body, call.args[1].value)
        return (subject, types) if types else None
    if name == "dataclasses.is_dataclass":
        return subject, (DATACLASS,)
    if (
        name == "builtins.hasattr"
        and len(call.args) == 2
        and literal(call.args[1].value) == "_fields"
    ):
        return subject, (NAMED_TUPLE,)
    return None


def statements_of(node: cst.FunctionDef | cst.Lambda | cst.Module) -> Sequence[cst.CSTNode]:
    """The statements of a function, or of a module."""
    if isinstance(node, cst.Module):
        return node.body
    return _statements(node.body) if isinstance(node, cst.FunctionDef) else ()


def _statements(suite: cst.BaseSuite) -> Sequence[cst.CSTNode]:
    if isinstance(suite, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine(suite.body)]
    return suite.body


def _blocks(statement: cst.CSTNode) -> Iterator[Sequence[cst.CSTNode]]:
    """The blocks inside a loop, a `with` or a `try`."""
    for name in ("body", "orelse", "finalbody"):
        part = getattr(statement, name, None)
        part = part if isinstance(part, cst.BaseSuite) else getattr(part, "body", None)
        if isinstance(part, cst.BaseSuite):
            yield _statements(part)
    for handler in getattr(statement, "handlers", ()):
        yield _statements(handler.body)


def ends(suite: cst.BaseSuite) -> bool:
    """Nothing after the block runs."""
    last = suite.body[-1] if suite.body else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    if isinstance(last, cst.If):
        return isinstance(last.orelse, cst.Else) and ends(last.body) and ends(last.orelse.body)
    return isinstance(last, cst.Return | cst.Raise | cst.Continue | cst.Break)
