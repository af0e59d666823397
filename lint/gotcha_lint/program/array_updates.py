"""Arrays of JAX that a loop replaces by a new version of themselves (floor `program`).

Written element by element, `x = x.at[i].set(v)`, or slice by slice, or longer in each iteration,
`x = jnp.concatenate([x, v])`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gotcha_lint.program.data_flow import instructions, used_registers
from gotcha_lint.program.ir import Function, Instruction, Region, Register, Span

SLICE_UPDATES = frozenset(
    ("dynamic_update_slice", "dynamic_update_slice_in_dim", "dynamic_update_index_in_dim")
)
Variable = tuple[object, ...]  # ("name", name, hops) or ("attr", variable, attribute)
Argument = tuple[int, str]  # of a call: its position, and its name


@dataclass(frozen=True, slots=True)
class ArrayUpdate:
    """`name`: the array, as it is written; `is_read`: the code around uses it for something else.

    The code around is that of the outermost loop that does not make it again, or the function.
    """

    name: str
    is_read: bool


def array_update(function: Function, span: Span) -> ArrayUpdate | None:
    """What the call at `span` updates; None where its result is not the same variable again.

    Of the loops around, the outermost counts that does not make the array again.
    """
    for loop in _loops_around(function.body, span):
        found = _update_in([loop], span, is_loop=True)
        if found is not None:
            return found
    return _update_in(function.body, span, is_loop=False)


def _update_in(code: Region, span: Span, is_loop: bool) -> ArrayUpdate | None:
    read: dict[Register, Variable] = {}
    bases: dict[Register, Register] = {}  # of `x.at`, of `x.at[i]`, of `x.at[i].set`
    calls: dict[Register, Instruction] = {}  # by their results
    names: dict[Register, str] = {}  # of what is called
    result: Register | None = None
    written: list[tuple[Variable, Register]] = []
    for instruction in instructions(code):
        operation, target = instruction[:2]
        if operation == "load":
            read[target] = ("name", instruction[2], instruction[3])
            names[target] = instruction[2]
        elif operation == "attr":
            if instruction[2] in read:
                read[target] = ("attr", read[instruction[2]], instruction[3])
            bases[target], names[target] = instruction[2], instruction[3]
        elif operation == "item":
            bases[target] = instruction[2]
        elif operation == "store":
            written.append((("name", instruction[2], instruction[3]), instruction[4]))
        elif operation == "setattr" and instruction[2] in read:
            written.append((("attr", read[instruction[2]], instruction[3]), instruction[4]))
        elif operation == "call":
            calls[target] = instruction
            result = target if instruction[-1] == span else result

    def updated(register: Register | None) -> Variable | None:
        """The variable `x`, where this register holds `x.at[i].set(v)`."""
        call = calls.get(register) if register is not None else None
        if call is None:
            return None
        if names.get(call[2]) in SLICE_UPDATES:
            register = next((r for star, r in call[3] if not star), None)
            return read.get(register) if register is not None else None
        register = call[2]
        for _ in range(3):
            register = bases.get(register) if register is not None else None
        return read.get(register) if register is not None else None

    variable = updated(result)
    if variable is None or (variable, result) not in written:
        return None
    if not is_loop and variable[0] == "name":
        return None  # made again at each call
    if is_loop and any(v == variable and updated(r) != variable for v, r in written):
        return None  # made again in each turn
    own = {register for register, other in read.items() if other == variable}
    updates = {r for r in calls if updated(r) == variable}
    others = any(own & used_registers(i) for i in instructions(code) if not _updates(i, updates))
    return ArrayUpdate(_text(variable), others)


@dataclass(frozen=True, slots=True)
class Growth:
    """An array that becomes longer each time. `name`: as it is written.

    `in_loop`: a loop of this function does it. Else each call of the function does: to an attribute
    of an object, or, where `parameter` is given, to what the caller binds the result to.
    """

    name: str
    in_loop: bool = False
    parameter: str = ""


def growth(function: Function, span: Span, argument: Argument | None) -> Growth | None:
    """The array that the call at `span` makes longer; None where it does not go on like that.

    The result must be the same variable again. Where the loop binds that also to something else,
    as to its last elements, it does not grow without end. `argument`: the one that the callee
    makes longer; None: the call itself puts arrays together.
    """
    loop = _innermost_loop(function.body, span)
    code = function.body if loop is None else loop
    flow = _Flow(code)
    call = flow.calls.get(span)
    if call is None:
        return None
    target = call[1]
    parts = flow.parts(call) if argument is None else _given(call, argument)
    for variable in dict.fromkeys(flow.read[part] for part in parts if part in flow.read):
        if loop is None and variable[0] == "name":
            if target in flow.returned and not flow.is_written(variable):
                return Growth(_text(variable), parameter=_parameter(function, variable))
            continue
        if flow.grows(variable, target):
            return Growth(_text(variable), loop is not None)
    return None


def _given(call: Instruction, argument: Argument) -> list[Register]:
    _, _, _, positional, keywords, _ = call
    by_position = [register for n, (_, register) in enumerate(positional) if n == argument[0]]
    return by_position or [register for name, register in keywords if name == argument[1]]


def _parameter(function: Function, variable: Variable) -> str:
    names = {p.name for p in function.parameters if p.kind in ("pos", "kw")}
    return str(variable[1]) if variable[1] in names and variable[2] == 0 else ""


@dataclass(frozen=True, slots=True)
class _Write:
    """`asked`: the variables that are compared with `None`, or negated, by the tests around."""

    variable: Variable
    value: Register
    asked: frozenset[Variable]


class _Flow:
    """Where the registers of some code come from, and what its variables are bound to."""

    def __init__(self, code: Region) -> None:
        self.read: dict[Register, Variable] = {}
        self.made: dict[Register, Instruction] = {}
        self.calls: dict[Span, Instruction] = {}
        self.writes: list[_Write] = []
        self.returned: set[Register] = set()
        self._read_all(code, frozenset())
        temporary = [w for w in self.writes if str(w.variable[1]).startswith("%")]
        self.writes = [each for w in self.writes for each in self._sources(w, temporary)]
        self.returned |= {
            w.value for w in temporary for r in self.returned if self.read.get(r) == w.variable
        }

    def _read_all(self, code: Region, asked: frozenset[Variable]) -> None:
        for instruction in code:
            operation, target = instruction[:2]
            if operation == "load":
                self.read[target] = ("name", instruction[2], instruction[3])
            elif operation == "attr" and instruction[2] in self.read:
                self.read[target] = ("attr", self.read[instruction[2]], instruction[3])
            elif operation == "call":
                self.calls[instruction[-1]] = instruction
            elif operation == "store":
                variable = ("name", instruction[2], instruction[3])
                self.writes.append(_Write(variable, instruction[4], asked))
            elif operation == "setattr" and instruction[2] in self.read:
                variable = ("attr", self.read[instruction[2]], instruction[3])
                self.writes.append(_Write(variable, instruction[4], asked))
            elif operation == "return" and instruction[2] is not None:
                self.returned.add(instruction[2])
            if isinstance(target, int):
                self.made[target] = instruction
            inner = asked
            test: Register | None = instruction[2] if operation == "if" else None
            if test is not None and instruction[-2] is True:
                inner = asked | frozenset(self._variables_of(test))
            for region in _regions(instruction):
                self._read_all(region, inner)

    def _variables_of(self, test: Register) -> Iterator[Variable]:
        waiting = [test]
        while waiting:
            register = waiting.pop()
            if register in self.read:
                yield self.read[register]
            elif register in self.made:
                waiting += [r for r in used_registers(self.made[register]) if isinstance(r, int)]

    def _sources(self, write: _Write, temporary: Sequence[_Write]) -> Iterator[_Write]:
        """`v if x is None else f(x)`: both values, in place of the temporary variable."""
        same = [w for w in temporary if w.variable == self.read.get(write.value)]
        for each in same:
            yield _Write(write.variable, each.value, write.asked | each.asked)
        if not same:
            yield write

    def parts(self, call: Instruction) -> list[Register]:
        """What is put together: the elements of the first argument, or the first two."""
        given = [register for _, register in call[3]]
        first = self.made.get(given[0]) if given else None
        if first is not None and first[0] == "build":
            return [register for _, register in first[3]]
        return given[:2]

    def is_written(self, variable: Variable) -> bool:
        return any(write.variable == variable for write in self.writes)

    def grows(self, variable: Variable, result: Register) -> bool:
        """The result is bound to it, and nothing else is, but where it is asked for `None`."""
        bound = [write for write in self.writes if write.variable == variable]
        if result not in [write.value for write in bound]:
            return False
        base: Any = variable
        while base[0] == "attr":
            base = base[1]
        if base != variable and self.is_written(base):
            return False  # another object in each turn
        grown = {call[1] for call in self.calls.values() if self._reads(call, variable)} | {result}
        same = {register for register, other in self.read.items() if other == variable}
        return all(write.value in grown | same or variable in write.asked for write in bound)

    def _reads(self, call: Instruction, variable: Variable) -> bool:
        return any(self.read.get(part) == variable for part in self.parts(call))


def _innermost_loop(code: Region, span: Span) -> Region | None:
    """The loop around the call at `span`, comprehensions apart."""
    for instruction in code:
        for region in _regions(instruction):
            if any(i[0] == "call" and i[-1] == span for i in instructions(region)):
                inner = _innermost_loop(region, span)
                is_loop = instruction[0] == "while" or (
                    instruction[0] == "for" and not instruction[6]
                )
                return inner if inner is not None or not is_loop else [instruction]
    return None


def _updates(instruction: Instruction, updates: Container[object]) -> bool:
    """Does it take `x.at`, or is it the call that updates `x`?"""
    if instruction[0] == "attr":
        return instruction[3] == "at"
    return instruction[0] == "call" and instruction[1] in updates


def _loops_around(code: Region, span: Span) -> Iterator[Instruction]:
    """The loops that the call is in, the outermost first."""
    for instruction in code:
        for region in _regions(instruction):
            if any(i[0] == "call" and i[-1] == span for i in instructions(region)):
                if instruction[0] in ("for", "while"):
                    yield instruction
                yield from _loops_around(region, span)
                return


def _regions(instruction: tuple[object, ...]) -> Iterator[Region]:
    for part in instruction:
        if isinstance(part, list) and part:
            yield from part if isinstance(part[0], list) else [part]


def _text(variable: Variable) -> str:
    return str(variable[1]) if variable[0] == "name" else f"{_text(variable[1])}.{variable[2]}"  # type: ignore[arg-type]
