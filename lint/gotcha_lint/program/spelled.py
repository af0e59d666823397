"""An expression in words again, for messages (floor `program`)."""

from __future__ import annotations

from collections.abc import Mapping

from gotcha_lint.program.ir import Instruction, Register

Makers = Mapping[Register, Instruction]

_OPERATORS = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "MatMult": "@", "Pow": "**",
              "FloorDiv": "//", "Mod": "%"}  # fmt: skip
_LONGEST = 40


def spelled(makers: Makers, register: Register, longest: int = _LONGEST) -> str:
    """As it is written, in one line; parts that have no short form are `...`."""
    text = _spelled(makers, register)
    return text if len(text) <= longest else text[: longest - 3] + "..."


def dotted(makers: Makers, register: Register) -> str:
    """`x` or `self.x`; "" for what is no name."""
    made = makers.get(register)
    if made is not None and made[0] == "load":
        return made[2].partition("%")[0]
    base = dotted(makers, made[2]) if made is not None and made[0] == "attr" else ""
    return f"{base}.{made[3]}" if base and made is not None else ""


def _spelled(makers: Makers, register: Register) -> str:
    i = makers.get(register)
    if i is None:
        return "..."
    if i[0] == "load":
        return i[2].partition("%")[0] or "..."
    if i[0] == "const":
        return repr(i[2]) if i[2] is not Ellipsis else "..."
    if i[0] == "attr":
        return f"{_spelled(makers, i[2])}.{i[3]}"
    if i[0] == "item":
        return f"{_spelled(makers, i[2])}[{_spelled(makers, i[3])}]"
    if i[0] == "binop" and i[2] in _OPERATORS:
        return f"{_spelled(makers, i[3])} {_OPERATORS[i[2]]} {_spelled(makers, i[4])}"
    if i[0] == "unop" and i[2] == "USub":
        return f"-{_spelled(makers, i[3])}"
    if i[0] == "slice":
        return ":".join("" if part is None else _spelled(makers, part) for part in i[2:4])
    if i[0] == "build" and i[2] == "tuple":
        return ", ".join(_spelled(makers, one) for _, one in i[3])
    if i[0] != "call":
        return "..."
    given = [("*" if star else "") + _spelled(makers, one) for star, one in i[3]]
    given += [f"{name}={_spelled(makers, one)}" if name else "**..." for name, one in i[4]]
    return f"{_spelled(makers, i[2])}({', '.join(given)})"
