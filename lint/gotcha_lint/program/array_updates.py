"""Arrays of JAX that are written element by element: `x = x.at[i].set(v)`, or slice by slice."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import instructions, used_registers
from gotcha_lint.program.ir import Function, Instruction, Region, Register, Span

SLICE_UPDATES = frozenset(
    ("dynamic_update_slice", "dynamic_update_slice_in_dim", "dynamic_update_index_in_dim")
)
Variable = tuple[object, ...]  # ("name", name, hops) or ("attr", variable, attribute)


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
