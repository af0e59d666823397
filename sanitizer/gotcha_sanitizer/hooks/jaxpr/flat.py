"""A traced program as one list of steps: calls are written out, loops and branches marked.

What is shared is written out again at each place, so the list, and how deep it goes, is bounded:
calls and loops beyond the bound stay single, opaque steps.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gotcha_sanitizer.hooks.jaxpr import jaxprs, loops
from gotcha_sanitizer.hooks.jaxpr.jaxprs import Walk

_STEPS, _DEPTH = 12_000, 60
CUSTOM = frozenset({"custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr"})


Inner = Walk[list[int]]  # it returns the numbers of its outputs


class Place(NamedTuple):
    """What a step is in: loops, branches as (cond, index), calls; numbers grow inwards."""

    loops: tuple[int, ...] = ()
    branches: tuple[tuple[int, int], ...] = ()
    calls: tuple[tuple[int, Any], ...] = ()  # number and equation of each, outermost first
    scope: str = ""

    @property
    def depth(self) -> int:
        return len(self.loops) + len(self.branches) + len(self.calls)


class Step(NamedTuple):
    """One operation on numbered values.

    Loops have steps of their own, `loop in` for a slice or the state of an iteration, `loop out`
    for what an iteration leaves; so has a cond, `branch out`.
    """

    name: str
    equation: Any
    ins: tuple[int, ...]
    outs: tuple[int, ...]
    place: Place


@dataclass
class Flat:
    """The steps of a program in order, and the types of its values by number."""

    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    steps: list[Step] = field(default_factory=list)
    types: dict[int, Any] = field(default_factory=dict)

    def used(self) -> frozenset[int]:
        """The steps, by index, that an output depends on."""
        wanted, found = set(self.outputs), set()
        for index in range(len(self.steps) - 1, -1, -1):
            step = self.steps[index]
            if not wanted.isdisjoint(step.outs):
                wanted.update(step.ins)
                found.add(index)
        return frozenset(found)


def flatten(jaxpr: Any, custom: bool = True, most: int = _STEPS) -> Flat:
    """Writes a program out; with `custom` also functions that have their own derivative."""
    return _Writer(custom, most).write(jaxpr)


class _Writer:
    def __init__(self, custom: bool, most: int) -> None:
        self.flat = Flat()
        self._custom, self._most = custom, most
        self._numbers = itertools.count(1)
        self._known: dict[object, int] = {}  # literals and constants

    def write(self, jaxpr: Any) -> Flat:
        core, _ = jaxprs.opened(jaxpr)
        self.flat.inputs = tuple(self._new(var.aval) for var in core.invars)
        self.flat.outputs = tuple(jaxprs.run_walk(self._inline(jaxpr, self.flat.inputs, Place())))
        return self.flat

    def _new(self, aval: Any) -> int:
        number = next(self._numbers)
        self.flat.types[number] = aval
        return number

    def _constant(self, value: Any, aval: Any) -> int:
        """The number of a literal or a constant: equal scalars share one."""
        if (known := self._known.get(id(value))) is not None:
            return known
        plain = getattr(value, "val", value)
        host = getattr(plain, "shape", ()) == () and not hasattr(plain, "devices")
        item = plain.item() if host and hasattr(plain, "item") else plain
        key = (str(aval), type(item), repr(item)) if host else id(plain)
        if key not in self._known:
            self._known[key] = self._new(aval)
        self._known[id(value)] = self._known[key]
        return self._known[key]

    def _inline(self, closed: Any, ins: Sequence[int], place: Place) -> Inner:
        core, consts = jaxprs.opened(closed)
        known = dict(zip(core.invars, ins, strict=True))
        for var, value in itertools.zip_longest(core.constvars, consts):
            known[var] = self._constant(value, var.aval)

        def read(var: Any) -> int:
            return self._constant(var, var.aval) if hasattr(var, "val") else known[var]

        for equation in core.eqns:
            outs = self._equation(equation, tuple(map(read, equation.invars)), place)
            if isinstance(outs, Generator):
                outs = yield outs
            known.update(zip(equation.outvars, outs, strict=True))
        return [read(var) for var in core.outvars]

    def _equation(self, equation: Any, ins: tuple[int, ...], place: Place) -> list[int] | Inner:
        name = equation.primitive.name
        if scope := jaxprs.scope(equation):
            place = place._replace(scope=f"{place.scope}/{scope}" if place.scope else scope)
        if len(self.flat.steps) < self._most and place.depth < _DEPTH:
            if name == "scan" and (scan := loops.scan(equation)):
                return self._scan(scan, equation, ins, place)
            if name == "while" and (loop := loops.while_loop(equation)):
                return self._while(loop, equation, ins, place)
            if name == "cond" and (branches := loops.branches(equation)):
                return self._cond(branches, equation, ins, place)
            inner = jaxprs.body(equation)
            if inner is not None and (self._custom or name not in CUSTOM):
                calls = (*place.calls, (next(self._numbers), equation))
                return self._inline(inner, ins, place._replace(calls=calls))
        return self._step(name, equation, ins, place)

    def _step(self, name: str, equation: Any, ins: tuple[int, ...], place: Place) -> list[int]:
        outs = [self._new(var.aval) for var in equation.outvars]
        self.flat.steps.append(Step(name, equation, ins, tuple(outs), place))
        return outs

    def _scan(self, scan: loops.Scan, equation: Any, ins: tuple[int, ...], place: Place) -> Inner:
        count = scan.constants
        core, _ = jaxprs.opened(scan.body)
        inside = place
        if scan.length > 1:
            inside = place._replace(loops=(*place.loops, next(self._numbers)))
        moving = zip(core.invars[count:], ins[count:], strict=True)
        inner = self._enter(equation, moving, core.outvars[: scan.carried], inside)
        outs = yield self._inline(scan.body, (*ins[:count], *inner), inside)
        return self._leave("loop out", equation, [(o,) for o in outs], place)

    def _while(self, loop: loops.While, equation: Any, ins: tuple[int, ...], place: Place) -> Inner:
        core, _ = jaxprs.opened(loop.body)
        first, start = loop.tests, loop.tests + loop.constants
        inside = place._replace(loops=(*place.loops, next(self._numbers)))
        moving = zip(core.invars[loop.constants :], ins[start:], strict=True)
        inner = self._enter(equation, moving, core.outvars, inside)
        yield self._inline(loop.test, (*ins[:first], *inner), inside)
        outs = yield self._inline(loop.body, (*ins[first:start], *inner), inside)
        return self._leave("loop out", equation, [(o,) for o in outs], place)

    def _enter(
        self,
        equation: Any,
        moving: Iterable[tuple[Any, int]],
        carried: Sequence[Any],
        place: Place,
    ) -> list[int]:
        """Values of one iteration of a loop. What it hands on unchanged is as good as constant."""
        inner = []
        for index, (var, outer) in enumerate(moving):
            if index < len(carried) and carried[index] is var:
                inner.append(outer)
                continue
            inner.append(self._new(var.aval))
            step = Step("loop in", equation, (outer,), (inner[-1],), place)
            self.flat.steps.append(step)
        return inner

    def _cond(
        self, branches: tuple[Any, ...], equation: Any, ins: tuple[int, ...], place: Place
    ) -> Inner:
        number, found = next(self._numbers), []
        for index, branch in enumerate(branches):
            inside = place._replace(branches=(*place.branches, (number, index)))
            found.append((yield self._inline(branch, ins[1:], inside)))
        merged = [(ins[0], *outs) for outs in zip(*found, strict=True)]
        return self._leave("branch out", equation, merged, place)

    def _leave(
        self, name: str, equation: Any, inner: Sequence[tuple[int, ...]], place: Place
    ) -> list[int]:
        outs = []
        for var, ins in zip(equation.outvars, inner, strict=True):
            outs.append(self._new(var.aval))
            self.flat.steps.append(Step(name, equation, ins, (outs[-1],), place))
        return outs
