"""Evaluates a jaxpr step by step, and remembers of each value only where its NaN came from.

What is finite is forgotten at once. Inner functions and loops run compiled; they are entered, with
the same operands again, only where something finite went in and something else came out.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gotcha_sanitizer.hooks import private
from gotcha_sanitizer.hooks.jaxpr import jaxprs, loops
from gotcha_sanitizer.hooks.jaxpr.jaxprs import Walk
from gotcha_sanitizer.hooks.jaxpr.ranges import Range, flags, look_at
from gotcha_sanitizer.values.parts import Site

_TURNS = 100_000  # of one loop that is entered
_STEPS = 20_000  # of functions that are entered whatever goes in
_OPAQUE = frozenset({"shard_map"})  # its body has no meaning outside of its mesh


@dataclass(eq=False)
class Origin:
    """What is not finite: an operation that made it of finite operands, or an argument.

    `parents` are the values it was computed from that were not finite either.
    """

    number: int
    nan: bool
    inf: bool
    parents: tuple[Origin, ...] = ()
    argument: str = ""
    operation: Operation | None = None


@dataclass(frozen=True)
class Operation:
    """One operation, where it stands, and what it was given."""

    primitive: str
    site: Site | None
    scope: str
    path: tuple[str, ...]
    operands: tuple[Range, ...]


class Inside(NamedTuple):
    """Where an evaluation is: names of calls, iterations, named scopes, equations of the calls."""

    path: tuple[str, ...] = ()
    scope: str = ""
    callers: tuple[Any, ...] = ()

    def enter(self, title: str, equation: Any = None) -> Inside:
        callers = self.callers if equation is None else (equation, *self.callers)
        return self._replace(path=(*self.path, title), callers=callers)


class Value(NamedTuple):
    """An array, and where what is not finite in it came from (None: all is finite)."""

    array: Any
    origin: Origin | None = None


Values = Walk[list[Value]]


class Evaluation:
    """One evaluation. With `through`, functions are entered whatever goes in.

    What is shared is entered again at each place, so that this has a bound: from there on
    functions are looked at from outside.
    """

    def __init__(self, jax: Any, through: bool = False) -> None:
        self.jax = jax
        self._left = _STEPS if through else 0
        self._numbers = itertools.count(1)
        self._compiled: dict[int, tuple[Any, Callable[..., Any]]] = {}

    def argument(self, array: Any, name: str) -> Value:
        return Value(array, self._origin(array, (), name, None))

    def run(self, closed: Any, values: Sequence[Value], inside: Inside) -> list[Value]:
        """The outputs of a jaxpr, with their origins."""
        return jaxprs.run_walk(self._run(closed, values, inside))

    def _run(self, closed: Any, values: Sequence[Value], inside: Inside) -> Values:
        """Values are let go after their last use."""
        core, consts = jaxprs.opened(closed)
        known = dict(zip(core.invars, values, strict=True))
        for var, constant in zip(core.constvars, consts, strict=True):
            known[var] = self.argument(constant, "a constant")
        left = Counter(v for e in core.eqns for v in e.invars if not hasattr(v, "val"))
        left.update(v for v in core.outvars if not hasattr(v, "val"))

        def read(var: Any) -> Value:
            return self.argument(var.val, "a constant") if hasattr(var, "val") else known[var]

        for equation in core.eqns:
            outs = yield self._equation(equation, [read(var) for var in equation.invars], inside)
            known.update(zip(equation.outvars, outs, strict=True))
            for var in equation.invars:
                if not hasattr(var, "val"):
                    left[var] -= 1
                    if not left[var]:
                        del known[var]
        return [read(var) for var in core.outvars]

    def _equation(self, equation: Any, ins: list[Value], inside: Inside) -> Values:
        name = equation.primitive.name
        inner = None if name in _OPAQUE else jaxprs.body(equation)
        scope = "/".join(filter(None, (inside.scope, jaxprs.scope(equation))))
        inside = inside._replace(scope=scope)
        if inner is not None and self._left > 0:
            self._left -= len(jaxprs.opened(inner)[0].eqns)
            return (yield self._run(inner, ins, inside.enter(_title(equation), equation)))
        outs = self._bind(equation, [value.array for value in ins])
        if not _is_new(outs, ins):
            return self._follow(outs, ins)
        if inner is not None:
            found = yield self._run(inner, ins, inside.enter(_title(equation), equation))
            return self._same(found, outs, ins)
        if (entered := self._enter(equation, ins, inside)) is not None:
            return self._same((yield entered), outs, ins)
        operands = tuple(filter(None, (look_at(value.array) for value in ins)))
        site = jaxprs.site(equation, *inside.callers)
        made = Operation(name, site, scope, inside.path, operands)
        return [Value(out, self._origin(out, _origins(ins), "", made)) for out in outs]

    def _bind(self, equation: Any, arrays: list[Any]) -> list[Any]:
        """Runs one equation; what holds a jaxpr is compiled as a whole, once."""
        params = equation.params.values()
        if equation.primitive.name in private.JITTED or not any(map(_holds_jaxpr, params)):
            return jaxprs.bind(equation, arrays)
        if id(equation) not in self._compiled:
            run = self.jax.jit(lambda *given: jaxprs.bind(equation, given))
            self._compiled[id(equation)] = equation, run
        return list(self._compiled[id(equation)][1](*arrays))

    def _follow(self, arrays: Sequence[Any], ins: list[Value]) -> list[Value]:
        parents = _origins(ins)
        return [Value(array, self._origin(array, parents, "", None)) for array in arrays]

    def _origin(
        self, array: Any, parents: tuple[Origin, ...], argument: str, operation: Operation | None
    ) -> Origin | None:
        nan, inf = flags(array)
        if not nan and not inf:
            return None
        return Origin(next(self._numbers), nan, inf, parents, argument, operation)

    def _same(self, values: list[Value], outs: list[Any], ins: list[Value]) -> list[Value]:
        """Step by step may give finite values where the compiled whole did not: then its own."""
        whole = self._follow(outs, ins)
        return [a if a.origin or not b.origin else b for a, b in zip(values, whole, strict=True)]

    # -- loops and branches ------------------------------------------------------------------------

    def _enter(self, equation: Any, ins: list[Value], inside: Inside) -> Values | None:
        """What a loop or a branch gives, step by step; None for any other operation."""
        name = equation.primitive.name
        inside = inside._replace(callers=(equation, *inside.callers))
        if name == "scan" and (scan := loops.scan(equation)):
            return self._scan(scan, equation, ins, inside)
        if name == "while" and (loop := loops.while_loop(equation)):
            return self._while(loop, ins, inside)
        if name == "cond" and (branches := loops.branches(equation)):
            index = min(max(int(ins[0].array), 0), len(branches) - 1)
            return self._run(branches[index], ins[1:], inside.enter(f"branch {index} of cond"))
        return None

    def _turn(self, body: Any, ins: list[Value], inside: Inside) -> Values:
        """One iteration of a loop: compiled, and entered where it is the one that matters."""
        if id(body) not in self._compiled:
            run = self.jax.jit(lambda *given: _compute(body, given))
            self._compiled[id(body)] = body, run
        outs = list(self._compiled[id(body)][1](*(value.array for value in ins)))
        if _is_new(outs, ins):
            return self._same((yield self._run(body, ins, inside)), outs, ins)
        return self._follow(outs, ins)

    def _scan(self, scan: loops.Scan, equation: Any, ins: list[Value], inside: Inside) -> Values:
        count, carried, length = scan.constants, scan.carried, scan.length
        consts, carry, each = ins[:count], ins[count : count + carried], ins[count + carried :]
        turns = range(length - 1, -1, -1) if scan.reverse else range(length)
        whole = self._bind(equation, [value.array for value in ins])
        origins: list[Origin | None] = [None] * len(whole[carried:])
        for turn in itertools.islice(turns, _TURNS):
            slices = [self._follow([value.array[turn]], [value])[0] for value in each]
            where = inside.enter(f"scan iteration {turn} of {length}")
            outs = yield self._turn(scan.body, [*consts, *carry, *slices], where)
            carry = outs[:carried]
            origins = [a or b.origin for a, b in zip(origins, outs[carried:], strict=True)]
        stacked = zip(whole[carried:], origins, strict=True)
        return [*carry, *(Value(array, origin) for array, origin in stacked)]

    def _while(self, loop: loops.While, ins: list[Value], inside: Inside) -> Values:
        first, second = loop.tests, loop.constants
        tests, consts, state = ins[:first], ins[first : first + second], ins[first + second :]
        for turn in range(_TURNS):
            where = inside.enter(f"while iteration {turn}")
            (going,) = yield self._turn(loop.test, [*tests, *state], where)
            if not bool(going.array):
                break
            state = yield self._turn(loop.body, [*consts, *state], where)
        return state


def _compute(closed: Any, given: Sequence[Any]) -> list[Any]:
    """The outputs of a jaxpr, to be compiled."""
    core, consts = jaxprs.opened(closed)
    known = dict(zip((*core.invars, *core.constvars), (*given, *consts), strict=True))

    def read(var: Any) -> Any:
        return var.val if hasattr(var, "val") else known[var]

    for equation in core.eqns:
        outs = jaxprs.bind(equation, [read(var) for var in equation.invars])
        known.update(zip(equation.outvars, outs, strict=True))
    return [read(var) for var in core.outvars]


def _is_new(outs: Sequence[Any], ins: Sequence[Value]) -> bool:
    """True for a NaN out of no NaN, or an infinity out of finite values."""
    origins = _origins(ins)
    if any(origin.nan for origin in origins):
        return False
    return any(nan or (inf and not origins) for nan, inf in map(flags, outs))


def _origins(ins: Sequence[Value]) -> tuple[Origin, ...]:
    return tuple(value.origin for value in ins if value.origin is not None)


def _holds_jaxpr(value: Any) -> bool:
    items: Iterator[Any] = iter(value if isinstance(value, (tuple, list)) else (value,))
    return any(hasattr(item, "eqns") or hasattr(item, "jaxpr") for item in items)


def _title(equation: Any) -> str:
    name = equation.params.get("name")
    if isinstance(name, str):
        return name
    plain = str(equation.primitive.name)
    return {"remat2": "checkpoint"}.get(plain, plain)
