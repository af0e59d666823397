"""Sets of strings, whose order is another one in each process, and what goes through them.

By definitions of names in the function, in those around it and in the module (floor `patterns`).
Must: the set is seen to hold strings, and perhaps more than one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from gotcha_lint.facts.orders import AXES, IN_ORDER, OF_AXES, ORDER_FREE, SET_METHODS, SETS
from gotcha_lint.program.data_flow import instructions, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.reader import NamedReader, Reader

_OPERATORS = frozenset(("BitAnd", "BitOr", "BitXor", "Sub"))
_COMMON = "intersection"
_FEWER = frozenset((_COMMON, "difference", "copy"))  # of what they are called on, no more
_DEPTH = 6
_SPLIT = "jax.random.split"


@lru_cache(maxsize=64)
def sets_of(function: Function) -> Sets:
    """One for each function, as long as it is asked for often."""
    return Sets(function)


class Sets:
    """The sets of strings that one function goes through."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self._known: dict[Register, Span | None] = {}

    @cached_property
    def reader(self) -> Reader:
        return Reader(self.function)

    def gone_through(self, register: Register) -> Span | None:
        """The set whose order is that of this: itself, or in `list(names)`, `zip(names, keys)`.

        As it is written there.
        """
        if register not in self._known:
            found = self._gone_through(register, _DEPTH)
            self._known[register] = None if found is None else self.reader.makers[found][-1]
        return self._known[register]

    def dealt(self, call: Span) -> Span | None:
        """The set in the call of `zip` at this place."""
        made = next((i for i in steps_of(self.function) if i[0] == "call" and i[-1] == call), None)
        return None if made is None else self.gone_through(made[1])

    def _gone_through(self, register: Register, depth: int) -> Register | None:
        if self._is_set(register, depth):
            many = not self._is_one_at_most(register, depth)
            return register if many and self._has_strings(register, depth) else None
        made = self.reader.made(register)
        if made is None or made[0] != "call" or not depth or not self._is_in_order(made):
            return None
        inner = (self._gone_through(given, depth - 1) for _, given in made[3])
        return next((names for names in inner if names is not None), None)

    def _is_in_order(self, call: Instruction) -> bool:
        made = self.reader.makers.get(call[2])
        return made is not None and made[0] == "load" and f"builtins.{made[2]}" in IN_ORDER

    def _origin(self, register: Register) -> tuple[Sets, Instruction | None]:
        """What makes it, here or in a function around, or as a constant of the module."""
        made = self.reader.made(register)
        if made is None or made[0] != "load" or made[3] in (0, self.reader.own):
            return self, made
        owner: Function | None = self.function
        if made[3] > 0:
            for _ in range(made[3]):
                owner = owner.parent if owner is not None else None
        else:
            while owner is not None and not owner.is_module:
                owner = owner.parent
        if owner is None:
            return self, made
        other = sets_of(owner)
        stored = other.reader.stores.get(made[2], [])
        if len(stored) != 1 or any(p.name == made[2] for p in owner.parameters):
            return self, made
        return other, other.reader.made(stored[0][4])

    def _is_set(self, register: Register, depth: int) -> bool:
        here, made = self._origin(register)
        if made is None or not depth:
            return False
        if made[0] == "build":
            return made[2] == "set"
        if made[0] == "binop" and made[2] in _OPERATORS:
            sides = made[3:5]
            return any(here._is_set(side, depth - 1) or here._is_keys(side) for side in sides)
        callee = here.reader.makers.get(made[2]) if made[0] == "call" else None
        if callee is not None and callee[0] == "attr":
            return callee[3] in SET_METHODS and here._is_set(callee[2], depth - 1)
        return callee is not None and callee[0] == "load" and callee[2] in SETS

    def _is_keys(self, register: Register) -> bool:
        made = self.reader.makers.get(register)
        if made is None or made[0] != "call" or made[3] or made[4]:
            return False
        return self.reader.function_of(made) == "keys"

    def _has_strings(self, register: Register, depth: int) -> bool:
        """What is put into it, or into one of the sets that it is made of."""
        here, made = self._origin(register)
        if made is None or not depth:
            return False
        if made[0] == "build":
            return any(here._is_string(each) for each in here._elements(made))
        if made[0] == "binop":
            return any(here._has_strings(side, depth - 1) for side in made[3:5])
        if made[0] != "call":
            return False
        callee = here.reader.makers.get(made[2])
        parts = [given for _, given in (*made[3], *made[4])]
        if callee is not None and callee[0] == "attr":
            parts.append(callee[2])
        return here._is_keys(made[1]) or any(here._has_strings(p, depth - 1) for p in parts)

    def _is_string(self, register: Register) -> bool:
        made = self.reader.makers.get(register)
        if made is None:
            return False
        return made[0] == "fstr" or (made[0] == "const" and isinstance(made[2], str))

    def _elements(self, display: Instruction) -> Iterator[Register]:
        """What is written out, or what the loops of a comprehension append."""
        yield from (each for star, each in display[3] if not star)
        yield from self._appended(display)

    def _is_one_at_most(self, register: Register, depth: int) -> bool:
        here, made = self._origin(register)
        if made is None or not depth:
            return False
        if made[0] == "build":
            few = len(made[3]) < 2 and not any(star for star, _ in made[3])
            return few and not any(here._appended(made))
        if made[0] == "binop" and made[2] in ("BitAnd", "Sub"):
            sides = made[3:5] if made[2] == "BitAnd" else made[3:4]
            return any(here._is_one_at_most(side, depth - 1) for side in sides)
        if made[0] != "call":
            return False
        given = [each for _, each in made[3]]
        callee = here.reader.makers.get(made[2])
        if callee is not None and callee[0] == "attr":
            sides = [callee[2], *given] if callee[3] == _COMMON else [callee[2]]
            return callee[3] in _FEWER and any(here._is_one_at_most(s, depth - 1) for s in sides)
        is_set = callee is not None and callee[0] == "load" and callee[2] in SETS
        return is_set and len(given) == 1 and here._is_one_at_most(given[0], depth - 1)

    def _appended(self, display: Instruction) -> Iterator[Register]:
        return (i[3] for i in steps_of(self.function) if i[0] == "append" and i[2] == display[1])


def is_kept_in_order(function: Function, loop: Instruction) -> bool:
    """`[x[n] for n in names]`, but in `any(...)` and the like."""
    made = next((i[2] for i in instructions(loop[4]) if i[0] == "append"), None)
    reader = sets_of(function).reader
    display = reader.makers.get(made) if made is not None else None
    if display is None or display[0] != "build" or display[2] != "list":
        return False
    calls = (i for i in steps_of(function) if i[0] == "call")
    return not any(
        any(each == made for _, each in i[3]) and reader.function_of(i) in ORDER_FREE for i in calls
    )


@dataclass(frozen=True)
class Ordered:
    """`what`: what follows the order of the set."""

    span: Span
    what: str


KEYS, AXES_OF_MESH = "the random keys", "the axes"


def ordered_by_sets(module: Module, function: Function) -> Iterator[Ordered]:
    """Keys that one iteration hands to the next, and the axes of meshes and specs."""
    steps = steps_of(function)
    if not any(i[0] in ("for", "call") for i in steps):
        return
    sets, reader = sets_of(function), NamedReader(module, function)
    for i in steps:
        if i[0] == "for" and _hands_on_keys(reader, i):
            span = sets.gone_through(i[2])
            if span is not None:
                yield Ordered(span, KEYS)
        elif i[0] == "call" and reader.dotted(i[2]) in OF_AXES:
            given = [*i[3], *((False, each) for name, each in i[4] if name == AXES)]
            for star, register in given:
                span = sets.gone_through(register)
                if span is not None and (star or span != reader.makers[register][-1]):
                    yield Ordered(span, AXES_OF_MESH)


def _hands_on_keys(reader: NamedReader, loop: Instruction) -> bool:
    """Each iteration splits one key, which the next goes on with."""
    inside = list(instructions(loop[4]))
    renewed = {i[2] for i in inside if i[0] == "store"}
    keys = (
        reader.makers.get(i[3][0][1] if i[3] else dict(i[4]).get("key", -1))
        for i in inside
        if i[0] == "call" and reader.dotted(i[2]) == _SPLIT
    )
    return any(key is not None and key[0] == "load" and key[2] in renewed for key in keys)
