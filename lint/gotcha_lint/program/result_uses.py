"""What becomes of the results of one or two calls, or differences, in a function (floor `program`).

A forward slice in the order of the text: a name holds what was stored last, both branches of an
`if` are joined, a loop is walked twice. It over-approximates: what takes a result in is taken to
keep it, unless it is known to show, to check or to measure it. So a result without a living use
has no effect on what the program computes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from gotcha_lint.facts.random import (
    CHECKS,
    SELECTS,
    SHAPE_ONLY,
    SHAPES,
    SHOWS,
    TYPES,
    is_init_function,
)
from gotcha_lint.program.data_flow import instructions, steps_of
from gotcha_lint.program.ir import Function, Instruction, Region, Span

_NONE: frozenset[int] = frozenset()
_LIBRARIES_THAT_SHOW = ("plt", "ax", "axs", "axes", "fig", "sns", "wandb", "logging", "logger")
_SELECTS = frozenset(name.rpartition(".")[2] for name in SELECTS)
_ADDS = frozenset({"append", "extend", "add", "insert", "update", "put", "setdefault"})
_NO_FLOW = frozenset({"import", "importstar", "delete", "raise", "break", "continue"})
_SHOWN = frozenset({"shown", "checked"})
_HARMLESS = frozenset({"shape", "chosen", "input", *_SHOWN})


@dataclass(slots=True)
class ResultUses:
    """`kinds`: for each of the calls, how its result is used:

    "shown" (printed, plotted, logged), "checked" (asserted, compared by a test's function), "shape"
    (asked for its type alone), "chosen" (a mask takes each element from one of the two results),
    "input" (a model is initialised with it), "left" (a name of the module that is not read in it),
    "kept" (anything else).
    `cases`: what a result is multiplied with: a comparison of a name and a constant. `names`: what
    it is kept as: variables, attributes, keys of dictionaries. `meet`: does an instruction, or a
    function that reads names from around it, take both?
    """

    kinds: tuple[set[str], set[str]] = field(default_factory=lambda: (set(), set()))
    cases: tuple[set[tuple[str, object]], set[tuple[str, object]]] = field(
        default_factory=lambda: (set(), set())
    )
    names: set[str] = field(default_factory=set)
    read: frozenset[int] = _NONE  # those that anything but a statement or a name takes
    meet: bool = False
    in_main: bool = False  # below `if __name__ == "__main__":`

    @property
    def exclude(self) -> bool:
        """Is one result zero wherever the other one is not?"""
        pairs = [(one, other) for one in self.cases[0] for other in self.cases[1]]
        return any(one[0] == other[0] and one[1] != other[1] for one, other in pairs)

    def has_no_effect(self, number: int) -> bool:
        """Is the result never read, or only for its type, or where the other one is not?"""
        return self._within(number, _HARMLESS - _SHOWN)

    def is_chosen_or_input(self, number: int) -> bool:
        """Does it count only where the other one does not, or as the input of an `init`?"""
        return bool(self.kinds[number]) and self.kinds[number] <= {"chosen", "input"}

    def is_never_read(self, number: int) -> bool:
        return self.kinds[number] <= {"left"}

    def is_only_shown(self, number: int) -> bool:
        return self._within(number, _HARMLESS)

    def _within(self, number: int, harmless: frozenset[str]) -> bool:
        """What a module leaves may be read by others; not what it has shown, as in a demo."""
        kinds = self.kinds[number]
        return kinds != {"left"} and kinds - {"left"} <= harmless


def uses_of_results(
    function: Function, first: Span, second: Span, own: frozenset[Span] = frozenset()
) -> ResultUses | None:
    """The uses of what the calls at these places give; None where there are no such calls.

    `own`: those of the two that call a function of the project, by whatever name.
    """
    walk = _Walk(function, first, second, own)
    walk.region(function.body)
    walk.end()
    return walk.uses if walk.seen >= {first, second} else None


class _Walk:
    def __init__(self, function: Function, first: Span, second: Span, own: frozenset[Span]) -> None:
        self.function = function
        self.own = own
        self.stored: dict[str, frozenset[int]] = {}  # what names have held at any time
        self.ended = False  # the path that comes to both calls
        self.tests: dict[int, tuple[str, object]] = {}  # name and constant that are compared
        self.constants: dict[int, object] = {}
        self.sources: dict[Span, frozenset[int]] = {first: frozenset((0,))}
        self.sources[second] = self.sources.get(second, _NONE) | {1}
        self.uses = ResultUses()
        self.seen: set[Span] = set()
        self.results: set[int] = set()  # registers
        self.outputs: set[int] = set()  # registers: what other calls make of a result
        self.made: dict[str, frozenset[int]] = {}  # ... and the names that hold such
        self.registers: dict[int, frozenset[int]] = {}
        self.names: dict[str, frozenset[int]] = {}
        self.places: dict[int, str] = {}  # names that registers were loaded from
        self.words: dict[int, tuple[str, ...]] = {}  # dotted names
        self.inner = [set(names) for names in _names_of_inner(function)]
        self.shared = set(function.captured).union(*self.inner)

    def region(self, code: Region) -> None:
        for instruction in code:
            if self.ended:
                return
            self._step(instruction)

    def end(self) -> None:
        """Other modules may read what a module ends with; of a notebook there are none."""
        for names in self.inner:
            read = _NONE.union(*(self.stored.get(name, _NONE) for name in names))
            self.uses.meet |= len(read) > 1
        if self.function.is_module and not self.function.is_notebook:
            self._note("left", _NONE.union(*self.names.values()))

    def _step(self, instruction: Instruction) -> None:
        operation = instruction[0]
        method = getattr(self, f"_{operation}", None)
        if method is not None:
            method(instruction)
        elif operation not in _NO_FLOW:
            self._flow(instruction)

    def _of(self, register: Hashable) -> frozenset[int]:
        return self.registers.get(register, _NONE) if isinstance(register, int) else _NONE

    def _note(self, kind: str, numbers: frozenset[int]) -> None:
        for number in numbers:
            self.uses.kinds[number].add(kind)

    def _set(self, register: int, *taken: frozenset[int]) -> frozenset[int]:
        both = _NONE.union(*taken)
        self.registers[register] = both
        self.uses.read |= both if register not in self.results else _NONE
        if len(both) > 1:
            self.uses.meet = True
        return both

    def _flow(self, instruction: Instruction) -> None:
        """Any other operation: its result follows from its operands."""
        target = instruction[1]
        taken = [self._of(part) for part in instruction[2:-1] if isinstance(part, int)]
        taken += [
            self._of(inner[1])
            for part in instruction[2:-1]
            if isinstance(part, tuple)
            for inner in part
            if isinstance(inner, tuple) and len(inner) == 2
        ]
        if isinstance(target, int):
            self._set(target, *taken)

    def _const(self, instruction: Instruction) -> None:
        self.constants[instruction[1]] = instruction[2]

    def _compare(self, instruction: Instruction) -> None:
        _, target, operator, left, right, _ = instruction
        if operator == "Eq" and right in self.constants:
            self.tests[target] = ".".join(self.words.get(left, ())), self.constants[right]
        self._flow(instruction)

    def _binop(self, instruction: Instruction) -> None:
        """`draw * (kind == 0)` is zero in all other cases, and `draw * 0.0` in all."""
        _, _, operator, left, right, _ = instruction
        if operator == "Mult" and 0 in (self.constants.get(left), self.constants.get(right)):
            return
        for side, other in ((left, right), (right, left)):
            if operator == "Mult" and other in self.tests:
                for number in self._of(side):
                    self.uses.cases[number].add(self.tests[other])
        if instruction[-1] in self.sources:
            self.seen.add(instruction[-1])
            self.results.add(instruction[1])
            self._set(instruction[1], self.sources[instruction[-1]])
        else:
            self._flow(instruction)

    # names

    def _is_own(self, hops: int) -> bool:
        return hops == 0 or (self.function.is_module and hops == -1)

    def _load(self, instruction: Instruction) -> None:
        _, target, name, hops, _ = instruction
        self.words[target] = (name,)
        if self._is_own(hops):
            self.registers[target] = self.names.get(name, _NONE)
            self.uses.read |= self.registers[target]
            self.places[target] = name

    def _store(self, instruction: Instruction) -> None:
        _, _, name, hops, value, _ = instruction
        taken = self._of(value)
        self.uses.names.update((name,) if value in self.results else ())
        meant = name.startswith("_") and name != "_"  # a name that says that nothing reads it
        self.stored[name] = self.stored.get(name, _NONE) | taken
        if meant or name in self.shared or not self._is_own(hops):
            self._note("kept", taken)
        self.names[name] = taken
        self.made[name] = taken if value in self.outputs else _NONE

    def _attr(self, instruction: Instruction) -> None:
        _, target, base, attribute, _ = instruction
        self.words[target] = (*self.words.get(base, ("",)), attribute)
        if attribute in SHAPES:
            self._note("shape", self._of(base))
        else:
            self._set(target, self._of(base))

    def _setattr(self, instruction: Instruction) -> None:
        taken = self._of(instruction[4])
        self.uses.names.update((instruction[3],) if instruction[4] in self.results else ())
        self._note("kept", taken)

    def _dict(self, instruction: Instruction) -> None:
        for key, value in instruction[2]:
            if value in self.results and isinstance(self.constants.get(key), str):
                self.uses.names.add(str(self.constants[key]))
        self._flow(instruction)

    def _setitem(self, instruction: Instruction) -> None:
        _, _, base, _, value, *_ = instruction
        self._put(base, self._of(value))

    def _append(self, instruction: Instruction) -> None:
        _, _, container, value, *_ = instruction
        self._set(container, self._of(container), self._of(value))

    def _put(self, base: Hashable, taken: frozenset[int]) -> None:
        """Something becomes part of what a register holds."""
        name = self.places.get(base) if isinstance(base, int) else None
        if name is None or name in self.shared:
            self._note("kept", taken)
        else:
            self.names[name] = self.names.get(name, _NONE) | taken
            if len(self.names[name]) > 1:
                self.uses.meet = True

    def _unpack(self, instruction: Instruction) -> None:
        for register in instruction[3]:
            self.registers[register] = self._of(instruction[2])
            if instruction[2] in self.outputs:
                self.outputs.add(register)

    def _augment(self, instruction: Instruction) -> None:
        _, target, _, left, right, place, _ = instruction
        self._set(target, self._of(left), self._of(right))
        if place is not None and place[0] != "name":
            self._note("kept", self._of(right))

    # calls

    def _call(self, instruction: Instruction) -> None:
        _, target, callee, args, keywords, span = instruction
        given = [self._of(register) for _, register in (*args, *keywords)]
        taken = _NONE.union(*given)
        self.uses.meet |= len(taken) > 1
        words = self.words.get(callee, ("",))
        head, last = words[0], words[-1]
        initialises = (head != last and last in SHAPE_ONLY) or is_init_function(head)
        if initialises and span not in self.own:
            inputs = _NONE.union(*(self._of(register) for _, register in args[1:]))
            taken = _NONE.union(*(self._of(register) for _, register in (*args[:1], *keywords)))
            self._note("input", inputs)
        elif last == "scan" and args and is_init_function(*self.words.get(args[0][1], ())[-1:]):
            each = [*(r for _, r in args[2:3]), *(r for name, r in keywords if name == "xs")]
            inputs = _NONE.union(*map(self._of, each))
            self._note("input", inputs)
            taken -= inputs
        if span in self.sources:
            self.seen.add(span)
            self.results.add(target)
            taken = self._read_by(words, args, keywords, taken) | self._of(callee)
            self._note("kept", taken & self.sources[span])  # handed from turn to turn
            self._set(target, self.sources[span], taken)
        elif last in SHOWS or head in _LIBRARIES_THAT_SHOW:
            self._note("shown", taken)
        elif last in CHECKS:
            self._note("checked", taken)
        elif last in TYPES:
            self._note("shape", taken)
        elif last in _SELECTS and self._chooses(given):
            self._note("chosen", taken)
        else:
            receiver = self._of(callee)
            taken = self._read_by(words, args, keywords, taken)
            if last in _ADDS:
                self._grow(words, taken)
            self._set(target, taken, receiver)
            self.outputs.add(target)

    def _read_by(
        self,
        words: tuple[str, ...],
        args: tuple[tuple[bool, int], ...],
        keywords: tuple[tuple[str | None, int], ...],
        taken: frozenset[int],
    ) -> frozenset[int]:
        """Without what a function of the project is given and never reads."""
        callee = _defined_around(self.function, words[0]) if len(words) == 1 else None
        starred = any(star for star, _ in args) or any(name is None for name, _ in keywords)
        if callee is None or starred:
            return taken
        parameters = [p.name for p in callee.parameters]
        given = [(parameters[n], r) for n, (_, r) in enumerate(args) if n < len(parameters)]
        given += [(name, register) for name, register in keywords if name in parameters]
        if len(given) < len(args) + len(keywords):
            return taken
        read = {i[2] for i in steps_of(callee) if i[0] == "load" and i[3] == 0}
        read |= callee.captured
        return _NONE.union(*(self._of(r) for name, r in given if name in read))

    def _grow(self, words: tuple[str, ...], taken: frozenset[int]) -> None:
        name = words[0]
        if len(words) == 2 and name in self.names and name not in self.shared:
            self.names[name] |= taken
            if len(self.names[name]) > 1:
                self.uses.meet = True

    @staticmethod
    def _chooses(given: list[frozenset[int]]) -> bool:
        return (
            len(given) == 3
            and not given[0]
            and bool(given[1] and given[2])
            and (given[1].isdisjoint(given[2]))
        )

    def _fstr(self, instruction: Instruction) -> None:
        self._set(instruction[1], *(self._of(register) for register in instruction[2]))

    # ends

    def _discard(self, instruction: Instruction) -> None:
        """A statement: a function that is given a result may keep it; a result alone is dropped."""
        call = instruction[-1]
        if call not in self.sources:
            self._note("kept", self._of(instruction[2]))

    def _return(self, instruction: Instruction) -> None:
        self._note("kept", self._of(instruction[2]))
        self.ended = True

    def _yield(self, instruction: Instruction) -> None:
        self._note("kept", self._of(instruction[2]))

    def _assert(self, instruction: Instruction) -> None:
        self._note("checked", self._of(instruction[2]))

    # regions

    def _if(self, instruction: Instruction) -> None:
        """Of the path that both calls are on: the branch with a call in it, or else both."""
        _, _, test, then, otherwise, *_ = instruction
        self._note("kept", self._of(test))
        if self.function.is_module and self.tests.get(test) == ("__name__", "__main__"):
            self._main(then)
            return
        with_call = [code for code in (then, otherwise) if self._has_call(code)]
        if len(with_call) == 1:
            self.region(with_call[0])
            return
        before = dict(self.names)
        self.region(then)
        (after, ended), self.names, self.ended = (self.names, self.ended), before, False
        self.region(otherwise)
        if ended and self.ended:
            return
        if self.ended:
            self.names = after
        elif not ended:
            self._join(after)
        self.ended = False

    def _main(self, code: Region) -> None:
        """Of a script: no other module sees what it ends with."""
        before = dict(self.names)
        self.region(code)
        self._note(
            "kept", _NONE.union(*self.made.values())
        )  # what runs last is run for its effects
        self.names = before
        self.uses.in_main = self._has_call(code)

    def _has_call(self, code: Region) -> bool:
        return any(i[0] == "call" and i[-1] in self.sources for i in instructions(code))

    def _for(self, instruction: Instruction) -> None:
        _, _, iterable, element, body, otherwise, *_ = instruction
        for _ in range(2):
            before = dict(self.names)
            self._set(element, self._of(iterable))
            self.region(body)
            self._join(before)
        self.region(otherwise)

    def _while(self, instruction: Instruction) -> None:
        _, _, tested, test, body, otherwise, *_ = instruction
        for _ in range(2):
            before = dict(self.names)
            self.region(tested)
            self._note("kept", self._of(test))
            self.region(body)
            self._join(before)
        self.region(otherwise)

    def _try(self, instruction: Instruction) -> None:
        _, _, body, handlers, otherwise, final, *_ = instruction
        before = dict(self.names)
        self.region(body)
        self.region(otherwise)
        for handler in handlers:
            self._join(before)
            self.region(handler)
        self.region(final)

    def _join(self, other: dict[str, frozenset[int]]) -> None:
        for name, taken in other.items():
            self.names[name] = self.names.get(name, _NONE) | taken


def _names_of_inner(function: Function) -> Iterator[set[str]]:
    """For each function within: the names that it may read from this one."""
    hops = -1 if function.is_module else 1
    for instruction in steps_of(function):
        if instruction[0] in ("closure", "class"):
            yield set(_names_read(instruction[2], hops))


def _names_read(function: Function, hops: int) -> Iterator[str]:
    for instruction in steps_of(function):
        if instruction[0] == "load" and instruction[3] == hops:
            yield instruction[2]
        if instruction[0] in ("closure", "class"):
            yield from _names_read(instruction[2], hops if hops < 0 else hops + 1)


def _defined_around(function: Function, name: str) -> Function | None:
    """The one function of that name that the functions around define."""
    around: Function | None = function
    while around is not None:
        found = [i[2] for i in steps_of(around) if i[0] == "closure" and i[2].name == name]
        if found:
            return found[0] if len(found) == 1 else None
        around = around.parent
    return None
