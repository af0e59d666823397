from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Call, Match, Store
from gotcha_lint.analysis.syntax import dotted, ends, literal, walk
from gotcha_lint.facts.classes import DATACLASS, NAMED_TUPLE
from gotcha_lint.queries.classes import TypeName, accepts, named_types, readable
from gotcha_lint.queries.constants import constant
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule

_TESTS = frozenset({"builtins.isinstance", "builtins.issubclass"})


class GeneralTypeFirst(Rule):
    """Tests for a general type before a special one, so that the special branch never runs.

    ## What happens
    Optax states are named tuples, so `isinstance(x, tuple)` takes them; `FrozenDict` and
    `nnx.State` are mappings; `bool` is an `int`; linen modules and `flax.struct` classes are
    dataclasses. The later branch is dead and nothing says so: a serializer turns the state into a
    plain tuple and the fault shows after the next restore, `AttributeError: 'tuple' object has no
    attribute 'mu'`.

    ## Instead
    Test for the special class first, or let `jax.tree.map` rebuild the containers. The order counts
    in `if` chains, in `match` statements and in tables of types that are searched in turn;
    `functools.singledispatch` finds the nearest class by itself.
    """

    severity = "error"
    confirmed_by = (("general-type-first", ""),)
    examples = (
        Example(
            bad="""
                from typing import NamedTuple

                import jax
                import jax.numpy as jnp


                class Moments(NamedTuple):
                    mu: jax.Array
                    nu: jax.Array


                def as_host(state):
                    if isinstance(state, tuple):
                        return tuple(as_host(part) for part in state)
                    elif isinstance(state, Moments):  # ! general-type-first
                        return Moments(as_host(state.mu), as_host(state.nu))
                    return jax.device_get(state)


                saved = as_host(Moments(jnp.zeros(3), jnp.ones(3)))
            """,
            good="""
                from typing import NamedTuple

                import jax
                import jax.numpy as jnp


                class Moments(NamedTuple):
                    mu: jax.Array
                    nu: jax.Array


                def as_host(state):
                    if isinstance(state, Moments):
                        return Moments(as_host(state.mu), as_host(state.nu))
                    elif isinstance(state, tuple):
                        return tuple(as_host(part) for part in state)
                    return jax.device_get(state)


                saved = as_host(Moments(jnp.zeros(3), jnp.ones(3)))
            """,
            shows="not hasattr(saved, 'mu')",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        tests = [call for call in site.of(Call) if call.name in _TESTS]
        if tests or next(site.of(Match), None) is not None:
            scan = _Scan(site)
            scan.block(_statements_of(site.function.node), ())
            fixed: set[int] = set()
            for late in scan.found:
                yield self._report(site, scan, late, fixed)
        for test in tests:
            for entry, special, general in _shadowed_entries(site, test):
                message = (
                    f"never found: every `{special}` is taken by the entry for `{general}` above"
                )
                yield Report(entry, message)

    def _report(self, body: Body, scan: _Scan, late: _Unreachable, fixed: set[int]) -> Report:
        assert body.project is not None
        changes = _swap(scan, late) if id(late.by.branch) not in fixed else ()
        fix = (
            Rewrite("test for the more specific class first", changes, safe=False)
            if changes
            else None
        )
        fixed.add(id(late.by.branch))
        special, general = readable(body.project, late.type), readable(body.project, late.by.type)
        return Report(
            _header(late.branch),
            f"never reached: every `{special}` passes the earlier test for `{general}`; test for "
            f"`{special}` first",
            fix,
            ((_header(late.by.branch), f"takes every `{general}`"),),
        )


def _header(branch: cst.CSTNode) -> cst.CSTNode:
    return branch.test if isinstance(branch, cst.If) else getattr(branch, "pattern", branch)


def _shadowed_entries(body: Body, test: Call) -> Iterator[tuple[cst.CSTNode, str, str]]:
    """Entries that are never found, with their class and that of the entry that takes it."""
    kind = dotted(test.node.args[-1].value)
    loop = next((loop for loop in reversed(test.at.loops) if kind in loop.names), None)
    if loop is None or body.project is None or not isinstance(loop.node, cst.For):
        return
    if not _stops(test.node, test.at.statement, loop.node.body):
        return
    table = loop.node.iter
    if isinstance(table, cst.Name):
        table = _set_here(body, table.value) or constant(body, table.value)
    taken: list[TypeName] = []
    for entry in _entries(table):
        types = named_types(body, entry)
        above = [
            next((g for g in taken if g != t and accepts(body.project, g, t)), None) for t in types
        ]
        if types and above[0] is not None and None not in above:
            yield entry, readable(body.project, types[0]), readable(body.project, above[0])
        taken.extend(types)


def _stops(test: cst.Call, statement: cst.CSTNode, turn: cst.BaseSuite) -> bool:
    """The first class that fits is the only one: the search ends."""
    if not isinstance(statement, cst.If):
        return True  # `return do(x) if isinstance(x, kind) else ...`
    if not _is_negated(test, statement.test):
        return _ends(statement.body)
    if getattr(statement.test, "expression", None) is not test:
        return False  # more than this one test
    if isinstance(statement.orelse, cst.Else):
        return _ends(statement.orelse.body)
    skips = isinstance(_last(statement.body), cst.Continue)
    return skips and statement in turn.body and _ends(turn)


def _is_negated(test: cst.Call, condition: cst.CSTNode) -> bool:
    return any(
        isinstance(part, cst.UnaryOperation)
        and isinstance(part.operator, cst.Not)
        and test in walk(part)
        for part in walk(condition)
    )


def _ends(block: cst.BaseSuite) -> bool:
    return isinstance(_last(block), cst.Return | cst.Break | cst.Raise)


def _last(block: cst.BaseSuite) -> cst.CSTNode:
    last = block.body[-1]
    return last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last


def _set_here(body: Body, name: str) -> cst.BaseExpression | None:
    """What a name of the function itself is set to, where it is set once."""
    sources = [bind.source for bind in body.of(Bind) if bind.name == name]
    one = sources[0] if len(sources) == 1 else None
    return one if isinstance(one, cst.BaseExpression) else None


def _entries(table: cst.BaseExpression | None) -> Iterator[cst.BaseExpression]:
    """The first elements of the pairs in a list or tuple."""
    if isinstance(table, cst.List | cst.Tuple):
        for element in table.elements:
            if isinstance(element.value, cst.Tuple) and element.value.elements:
                yield element.value.elements[0].value


def _swap(scan: _Scan, late: _Unreachable) -> tuple[Change, ...]:
    """The two branches exchanged; nothing where that could change which of the others runs."""
    early, branch = late.by.branch, late.branch
    if not (late.plain and late.by.plain):
        return ()
    if late.chain == late.by.chain:
        return _within(early, branch)
    if (
        isinstance(early, cst.If)
        and isinstance(branch, cst.If)
        and early.orelse is None
        and branch.orelse is None
        and scan.next_of.get(id(early)) is branch
    ):
        return _exchanged((early, branch))
    return ()


def _within(early: cst.CSTNode, branch: cst.CSTNode) -> tuple[Change, ...]:
    if isinstance(early, cst.If) and isinstance(branch, cst.If):
        current: cst.BaseSuite | cst.If | cst.Else | None = early.orelse
        while isinstance(current, cst.If) and current is not branch:
            if not isinstance(current.test, cst.Call):
                return ()
            current = current.orelse
        return _exchanged((early.test, branch.test), (early.body, branch.body))
    if isinstance(early, cst.MatchCase) and isinstance(branch, cst.MatchCase):
        return _exchanged((early.pattern, branch.pattern), (early.body, branch.body))
    return ()


def _exchanged(*pairs: tuple[cst.CSTNode, cst.CSTNode]) -> tuple[Change, ...]:
    return tuple(Change(a, like=b) for pair in pairs for a, b in (pair, pair[::-1]))


class _Accepted(NamedTuple):
    """An earlier branch that takes every instance of a class."""

    subject: str
    type: TypeName
    branch: cst.CSTNode  # the `if` or `case`
    plain: bool  # the whole test is one isinstance
    chain: int = 0  # equal for the branches of one if/elif chain or match


class _Unreachable(NamedTuple):
    """A branch whose class an earlier one has taken."""

    branch: cst.CSTNode
    type: TypeName
    by: _Accepted
    plain: bool
    chain: int


@dataclass
class _Scan:
    """One walk over the statements of a function; `taken` is what earlier branches accept."""

    body: Body
    found: list[_Unreachable] = field(default_factory=list)
    next_of: dict[int, cst.CSTNode] = field(default_factory=dict)  # the statement after an `if`

    def block(self, statements: Sequence[cst.CSTNode], taken: tuple[_Accepted, ...]) -> None:
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

    def _if(self, first: cst.If, taken: tuple[_Accepted, ...]) -> tuple[_Accepted, ...]:
        """The branches of one chain; returns what is taken after it."""
        within, after, parts = taken, taken, list[cst.CSTNode]()
        current: cst.If | cst.Else | None = first
        while isinstance(current, cst.If):
            self._judge(current, current.test, within, id(first))
            here = tuple(_accepted(self.body, current, current.test, id(first)))
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
        self,
        branch: cst.CSTNode,
        test: cst.BaseExpression,
        taken: tuple[_Accepted, ...],
        chain: int,
    ) -> None:
        hit = _blocked(self.body, test, taken)
        if hit is not None and hit[0].type != hit[1]:
            self.found.append(
                _Unreachable(branch, hit[1], hit[0], isinstance(test, cst.Call), chain)
            )

    def _match(self, node: cst.Match) -> None:
        subject = dotted(node.subject) or "the subject"
        taken: tuple[_Accepted, ...] = ()
        for case in node.cases:
            wanted = _pattern_types(self.body, case.pattern)
            hits = [_first(self.body, subject, one, taken) for one in wanted]
            if (
                wanted
                and all(hits)
                and any(h.type != w for h, w in zip(hits, wanted, strict=True) if h)
            ):
                pair = next((h, w) for h, w in zip(hits, wanted, strict=True) if h and h.type != w)
                plain = case.guard is None and isinstance(case.pattern, cst.MatchClass)
                self.found.append(_Unreachable(case, pair[1], pair[0], plain, id(node)))
            if case.guard is None:
                whole = _pattern_accepts(self.body, case.pattern)
                taken += tuple(_Accepted(subject, t, case, True, id(node)) for t in whole)
            self.block(_statements(case.body), ())


def _accepted(
    body: Body, branch: cst.CSTNode, test: cst.BaseExpression, chain: int
) -> Iterator[_Accepted]:
    """What surely makes the test true."""
    match test:
        case cst.BooleanOperation(left=left, operator=cst.Or(), right=right):
            for side in (left, right):
                yield from (a._replace(plain=False) for a in _accepted(body, branch, side, chain))
        case cst.Call():
            tested = _tested(body, test)
            if tested is not None:
                for one in tested[1]:
                    yield _Accepted(tested[0], one, branch, True, chain)


def _blocked(
    body: Body, test: cst.BaseExpression, taken: tuple[_Accepted, ...]
) -> tuple[_Accepted, TypeName] | None:
    """An earlier branch that takes all that this test asks for, and the class in question."""
    match test:
        case cst.BooleanOperation(left=left, operator=cst.And(), right=right):
            sides = [s for part in (left, right) if (s := _blocked(body, part, taken)) is not None]
            return next((s for s in sides if s[0].type != s[1]), sides[0] if sides else None)
        case cst.BooleanOperation(left=left, operator=cst.Or(), right=right):
            one, other = _blocked(body, left, taken), _blocked(body, right, taken)
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
    body: Body, subject: str, wanted: TypeName, taken: tuple[_Accepted, ...]
) -> _Accepted | None:
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


def _statements_of(node: cst.FunctionDef | cst.Lambda | cst.Module) -> Sequence[cst.CSTNode]:
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


# `case tuple(x)` captures the whole subject for these.
_BUILTIN_CAPTURE = frozenset(
    {
        "bool",
        "bytearray",
        "bytes",
        "dict",
        "float",
        "frozenset",
        "int",
        "list",
        "set",
        "str",
        "tuple",
    }
)


def _pattern_types(body: Body, pattern: cst.MatchPattern) -> tuple[TypeName, ...]:
    """The classes that a pattern asks for, whatever else it asks."""
    match pattern:
        case cst.MatchClass(cls=cls):
            return named_types(body, cls)
        case cst.MatchAs(pattern=inner) if inner is not None:
            return _pattern_types(body, inner)
        case cst.MatchOr(patterns=patterns):
            parts = [_pattern_types(body, part.pattern) for part in patterns]
            return tuple(t for part in parts for t in part) if all(parts) else ()
    return ()


def _pattern_accepts(body: Body, pattern: cst.MatchPattern) -> tuple[TypeName, ...]:
    """The classes all of whose instances a pattern matches."""
    match pattern:
        case cst.MatchClass(cls=cls, patterns=[], kwds=[]):
            return named_types(body, cls)
        case cst.MatchClass(cls=cst.Name(value=name), patterns=[one], kwds=[]):
            whole = isinstance(one.value, cst.MatchAs) and one.value.pattern is None
            return named_types(body, pattern.cls) if whole and name in _BUILTIN_CAPTURE else ()
        case cst.MatchAs(pattern=inner) if inner is not None:
            return _pattern_accepts(body, inner)
        case cst.MatchOr(patterns=patterns):
            return tuple(t for part in patterns for t in _pattern_accepts(body, part.pattern))
        case cst.MatchSequence(patterns=[cst.MatchStar()]):
            return "builtins.tuple", "builtins.list"  # not str and bytes, though they are sequences
        case cst.MatchMapping(elements=[]):
            return ("collections.abc.Mapping",)
    return ()
