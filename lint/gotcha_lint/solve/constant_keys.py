"""Random keys that are constants of a program that runs again and again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from gotcha_lint.domain.keys import Folded, Key, Seeded
from gotcha_lint.domain.sites import Origin, Site
from gotcha_lint.interpret.events import CompiledCall, KeyUse
from gotcha_lint.patterns.training.dropout_keys import is_only_for_dropout
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function

OUTSIDER = -1  # the column of the loop in which others call the methods of an object
_DRAWS = frozenset(("draw", "streams"))
_LOOPS = frozenset(("scan", "while_loop", "fori_loop", "map"))
_GRADIENTS = frozenset(("grad", "value_and_grad", "filter_grad", "filter_value_and_grad"))


@dataclass(frozen=True, slots=True)
class ConstantKey:
    """`place`: where the key is made; `drawn`: where numbers are drawn from it."""

    place: Origin
    drawn: Origin
    certain: bool


@dataclass(slots=True)
class ConstantKeys:
    """Takes the events of one root in their order: a call comes after what its trace has drawn."""

    waiting: list[KeyUse] = field(default_factory=list)
    traced: dict[Site, list[tuple[KeyUse, CompiledCall]]] = field(default_factory=dict)
    found: dict[Origin, ConstantKey] = field(default_factory=dict)

    def use(self, event: KeyUse) -> None:
        if event.how not in _DRAWS or not _is_constant(event.key):
            return
        self.waiting.append(event)
        if any(isinstance(loop, tuple) and loop[-1] in _LOOPS for loop in event.loops):
            self._add(event, event.functions[-1:])

    def call(self, call: CompiledCall) -> None:
        self.traced.setdefault(call.site, []).extend((event, call) for event in self.waiting)
        self.waiting.clear()

    def end(self, asked: dict[Site, list[CompiledCall]]) -> Iterator[ConstantKey]:
        """`asked`: all calls of each compiled function."""
        for site, uses in self.traced.items():
            for event, call in uses if _is_repeated(asked.get(site, [])) else ():
                if not _initialises(call.function):
                    self._add(event, call.traced)
        yield from self.found.values()

    def _add(self, event: KeyUse, traced: Iterable[Function]) -> None:
        base: Any = event.key.base
        maker = _maker(base, traced)
        if maker is None or any(map(_initialises, event.functions)):
            return
        if event.how == "streams" and not _is_differentiated(maker) and _is_idle(maker, base):
            return
        place = base.path, base.span
        certain = not event.maybe
        self.found.setdefault(place, ConstantKey(place, (event.path, event.span), certain))


def _is_repeated(calls: list[CompiledCall]) -> bool:
    """By a loop of the program, or from several places; an outsider may call it once."""
    written = {(call.path, call.span) for call in calls if call.span[1] != call.span[3]}
    loops = {loop for call in calls for loop in call.loops if isinstance(loop, tuple)}
    return len(written) > 1 or any(loop[-1] != OUTSIDER for loop in loops)


def _is_constant(key: Key) -> bool:
    """It is made of a number that is written out, and nothing that differs is folded in."""
    if not isinstance(key.base, Seeded) or not key.base.constant:
        return False
    return all(type(s.data) is int for s in key.steps if isinstance(s, Folded))


def _initialises(function: Function | None) -> bool:
    return function is not None and "init" in function.name.lower()


def _maker(base: Seeded, traced: Iterable[Function]) -> Function | None:
    """The traced function that makes the key, the innermost one."""
    around = [
        f for f in traced
        if f.path == base.path and f.line <= base.span[0] <= f.end_line and not f.is_module
    ]  # fmt: skip
    return max(around, key=lambda f: f.line, default=None)


def _is_idle(maker: Function, base: Seeded) -> bool:
    """Does the key end in the dropout of a model that does not train?"""
    top = maker
    while top.parent is not None:
        top = top.parent
    made = (i[1] for i in steps_of(maker) if i[0] == "call" and i[-1] == base.span)
    return any(is_only_for_dropout(top, maker, register) for register in made)


def _is_differentiated(function: Function) -> bool:
    """Is it given to `grad` where it is defined?"""
    steps = steps_of(function.parent) if function.parent is not None else ()
    loads = {i[1]: i[2] for i in steps if i[0] == "load"}
    words = {i[1]: i[2] if i[0] == "load" else i[3] for i in steps if i[0] in ("load", "attr")}
    return any(
        i[0] == "call" and words.get(i[2]) in _GRADIENTS
        and any(loads.get(register) == function.name for _, register in i[3])
        for i in steps
    )  # fmt: skip
