"""Keys under which a function keeps what it compiles, and what they leave out (floor `patterns`).

By definitions and uses of names within the function. It under-approximates: of a key that another
function makes nothing is known, and what is captured and then called, given to a function, or asked
for an attribute, may be the same each time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from gotcha_lint.patterns.same_value import written
from gotcha_lint.program.data_flow import operands_below, steps_of, used_registers, words_of
from gotcha_lint.program.enclosing import Around, enclosing
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.reader import Reader

_LEAVING = frozenset(("return", "raise", "continue"))
_IN_TEST = 3  # the operand of an `if` that runs where the test holds
_ABSENT = {True: "NotIn", False: "In"}  # tests that say so where they hold, or do not


@dataclass(frozen=True)
class KeyFault:
    """`asked`: where another key is looked for. `missing`: the name that the key leaves out."""

    span: Span
    cache: str
    stored: Span  # the key
    asked: Span | None = None
    missing: str = ""


def wrong_key(function: Function, store: Instruction, compiled: Function | None) -> KeyFault | None:
    """Of the `setitem` that keeps what is made of `compiled`."""
    kept = _Kept(function, store)
    if not kept.outlives:
        return None
    asked = kept.asked
    if asked is not None and kept.is_other(asked):
        if kept.fills_more:
            return None
        return KeyFault(store[-1], kept.cache, kept.span_of(store[3]), kept.span_of(asked))
    for name in kept.missing(compiled) if compiled is not None else ():
        return KeyFault(store[-1], kept.cache, kept.span_of(store[3]), missing=name)
    return None


class _Kept:
    def __init__(self, function: Function, store: Instruction) -> None:
        self.function, self.store = function, store
        self.reader = Reader(function)
        self.cache = words_of(function, store[2])
        self.around = enclosing(function)

    def span_of(self, register: Register) -> Span:
        return self.reader.makers[register][-1]

    @cached_property
    def loops(self) -> list[Instruction]:
        blocks = (block for block, _ in self.around[id(self.store)])
        return [block for block in blocks if block[0] in ("for", "while")]

    @cached_property
    def starts(self) -> set[str]:
        """What is another one the next time: parameters, or what the loop goes over and counts."""
        names = [p.name for p in self.function.parameters]
        if not self.loops:
            own = self.function.parent is not None and self.function.parent.is_class
            return set(names[own:])
        inside = [i for i in steps_of(self.function) if self._is_in(i, self.loops[-1])]
        counted = {i[-2][1] for i in inside if i[0] == "augment" and i[-2] and i[-2][0] == "name"}
        element = self.loops[-1][3] if self.loops[-1][0] == "for" else None
        unpacked = {element} | {r for i in inside if i[0] == "unpack" for r in i[3]}
        return counted | {i[2] for i in inside if i[0] == "store" and i[4] in unpacked}

    def _is_in(self, i: Instruction, block: Instruction) -> bool:
        return any(one is block for one, _ in self.around[id(i)])

    @cached_property
    def outlives(self) -> bool:
        """Is the dictionary the same one the next time?"""
        base = self.reader.makers.get(self.store[2])
        if not self.cache or base is None:
            return False
        if base[0] != "load" or base[3] != self.reader.own:
            return True
        stores = self.reader.stores.get(base[2], [])
        return bool(self.loops) and not any(self._is_in(i, self.loops[-1]) for i in stores)

    @cached_property
    def _guard(self) -> tuple[Instruction, Register] | None:
        """The `if` that asks whether the key is there already, and the key."""
        inner = [(each.block, each.part == _IN_TEST) for each in self.around[id(self.store)][::-1]]
        for block, holds in (*inner, *self._left_before()):
            test = self.reader.makers.get(block[2]) if block[0] == "if" else None
            if test is None or test[0] != "compare" or test[2] != _ABSENT[holds]:
                continue
            if words_of(self.function, test[4]) == self.cache:
                return block, test[3]
        return None

    def _left_before(self) -> Iterator[tuple[Instruction, bool]]:
        """`if key in cache: return cache[key]`, before it."""
        here: tuple[Around, ...] = self.around[id(self.store)]
        order = self.reader.order
        for i in steps_of(self.function):
            if i[0] == "if" and order[id(i)] < order[id(self.store)]:
                around = self.around[id(i)]
                leaves = bool(i[_IN_TEST]) and i[_IN_TEST][-1][0] in _LEAVING
                if leaves and here[: len(around)] == around:
                    yield i, False

    @property
    def asked(self) -> Register | None:
        return None if self._guard is None else self._guard[1]

    @property
    def fills_more(self) -> bool:
        """One key stands for many, which are all stored at once."""
        assert self._guard is not None
        block, key = self._guard
        if any(self._is_in(loop, block) for loop in self.loops):
            return True
        form = written(self.reader, key)
        return any(
            i[0] == "setitem"
            and i is not self.store
            and words_of(self.function, i[2]) == self.cache
            and written(self.reader, i[3]) == form
            for i in steps_of(self.function)
        )

    def is_other(self, asked: Register) -> bool:
        """What is asked for is surely not what is stored, whatever names stand for them."""
        one, other = written(self.reader, asked), written(self.reader, self.store[3])
        if one is None or other is None or one == other:
            return False
        names = all(isinstance(each, tuple) and each[0] == "name" for each in (one, other))
        # Where one may be made of the other, they may be equal; a loop in between sets many.
        return not (names and self._roots(asked) == self._roots(self.store[3]))

    def missing(self, compiled: Function) -> list[str]:
        """What the compiled function bakes in, and what its key does not tell apart."""
        if compiled.parent is not self.function:
            return []
        known = self._roots(self.store[3])
        return [
            name
            for name in sorted(_plainly_captured(compiled) - {compiled.name})
            if (made_of := self._roots_of_names({name})) and not made_of <= known
        ]

    def _roots(self, register: Register) -> frozenset[str]:
        """The parameters and loop variables that a value is made of."""
        return self._roots_of_names(self._names_below(register))

    def _names_below(self, register: Register) -> set[str]:
        below = operands_below(self.function, register)
        return {i[2] for i in below if i[0] == "load" and i[3] == self.reader.own}

    def _roots_of_names(self, names: set[str]) -> frozenset[str]:
        waiting, seen = set(names), set[str]()
        while waiting:
            name = waiting.pop()
            seen.add(name)
            for store in self.reader.stores.get(name, ()):
                waiting |= self._names_below(self._source(store[4])) - seen
        return frozenset(seen & self.starts)

    def _source(self, register: Register) -> Register:
        """What is unpacked, or gone over, where it is a part of that."""
        for i in steps_of(self.function):
            if i[0] == "unpack" and register in i[3]:
                return self._source(i[2])
            if i[0] == "for" and i[3] == register:
                return i[2]
        return register


def _plainly_captured(function: Function) -> set[str]:
    """The names of the function around that it computes with, and does nothing else with."""
    plain, others = set[str](), set[str]()
    todo = [(function, 1)]
    while todo:
        one, hops = todo.pop()
        steps = steps_of(one)
        objects = {i[2] for i in steps if i[0] == "attr"}
        objects |= {each for i in steps if i[0] == "call" for each in used_registers(i)}
        for i in steps:
            if i[0] == "load" and i[3] == hops:
                (others if i[1] in objects else plain).add(i[2])
            elif i[0] == "closure":
                todo.append((i[2], hops + 1))
    return plain - others
