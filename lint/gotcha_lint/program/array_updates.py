"""Arrays of JAX that are written element by element: `x = x.at[i].set(v)`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import instructions, used_registers
from gotcha_lint.program.ir import Function, Region, Register, Span

Variable = tuple[object, ...]  # ("name", name, hops) or ("attr", variable, attribute)


@dataclass(frozen=True, slots=True)
class ArrayUpdate:
    """`name`: the array, as it is written; `is_read`: the code around uses it for something else.

    The code around is that of the outermost loop of the function, or the whole function.
    """

    name: str
    is_read: bool


def array_update(function: Function, span: Span) -> ArrayUpdate | None:
    """What the call at `span` updates; None where its result is not the same variable again."""
    loop = _outermost_loop(function.body, span)
    code = loop or function.body
    read: dict[Register, Variable] = {}
    bases: dict[Register, Register] = {}  # of `x.at`, of `x.at[i]`, of `x.at[i].set`
    calls: dict[Register, Register] = {}  # results, and what was called
    result: Register | None = None
    written: list[tuple[Variable, Register]] = []
    for instruction in instructions(code):
        operation, target = instruction[:2]
        if operation == "load":
            read[target] = ("name", instruction[2], instruction[3])
        elif operation == "attr":
            if instruction[2] in read:
                read[target] = ("attr", read[instruction[2]], instruction[3])
            bases[target] = instruction[2]
        elif operation == "item":
            bases[target] = instruction[2]
        elif operation == "store":
            written.append((("name", instruction[2], instruction[3]), instruction[4]))
        elif operation == "setattr" and instruction[2] in read:
            written.append((("attr", read[instruction[2]], instruction[3]), instruction[4]))
        elif operation == "call":
            calls[target] = instruction[2]
            result = target if instruction[-1] == span else result

    def updated(register: Register | None) -> Variable | None:
        """The variable `x`, where this register holds `x.at[i].set(v)`."""
        register = calls.get(register) if register is not None else None
        for _ in range(3):
            register = bases.get(register) if register is not None else None
        return read.get(register) if register is not None else None

    variable = updated(result)
    if variable is None or (variable, result) not in written:
        return None
    if loop is None and variable[0] == "name":
        return None  # made again at each call
    if loop and any(v == variable and updated(r) != variable for v, r in written):
        return None  # made again in each turn
    own = {register for register, other in read.items() if other == variable}
    others = any(own & used_registers(i) for i in instructions(code) if not _takes_at(i))
    return ArrayUpdate(_text(variable), others)


def _takes_at(instruction: tuple[object, ...]) -> bool:
    return instruction[0] == "attr" and instruction[3] == "at"


def _outermost_loop(code: Region, span: Span) -> Region | None:
    for instruction in code:
        for region in _regions(instruction):
            if any(i[0] == "call" and i[-1] == span for i in instructions(region)):
                is_loop = instruction[0] in ("for", "while")
                return [instruction] if is_loop else _outermost_loop(region, span)
    return None


def _regions(instruction: tuple[object, ...]) -> Iterator[Region]:
    for part in instruction:
        if isinstance(part, list) and part:
            yield from part if isinstance(part[0], list) else [part]


def _text(variable: Variable) -> str:
    return str(variable[1]) if variable[0] == "name" else f"{_text(variable[1])}.{variable[2]}"  # type: ignore[arg-type]
