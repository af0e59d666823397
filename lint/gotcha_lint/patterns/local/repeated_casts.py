"""A line that is written twice, where the second one changes nothing (floor `patterns`).

`y = y.astype(dtype)` and the very same line after it. Must: nothing but the two lines is between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.ir import Function, Instruction, Region, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import Makers, spelled

# What gives the same again, of what it has given.
_METHODS = frozenset(
    ("astype", "ravel", "flatten", "clip", "round", "lower", "upper", "strip", "sort_index")
)  # fmt: skip
_OF_ARRAYS = "asarray ravel clip round abs maximum minimum sort nan_to_num atleast_2d float32"
_FUNCTIONS = frozenset(
    f"{module}.{name}"
    for module, names in {
        "jax.numpy": _OF_ARRAYS,
        "numpy": _OF_ARRAYS,
        "jax": "device_put device_get block_until_ready",
        "jax.lax": "stop_gradient",
        "jax.nn": "relu",
        "flax.linen": "relu",
    }.items()
    for name in names.split()
)
_PLAIN = frozenset(("load", "const", "attr", "call", "build", "item", "slice", "unop", "binop"))
_LONGEST = 200


@dataclass(frozen=True)
class Repeated:
    """`others`: parameters of the function that are not changed in this way."""

    name: str
    text: str
    span: Span
    first: Span


def repeated_casts(origins: Origins, function: Function) -> Iterator[Repeated]:
    makers = origins.links.makers(function)
    for region in _regions(function.body):
        last: Instruction | None = None  # the store before, if nothing but values came since
        for i in region:
            if i[0] == "store":
                if last is not None and last[2:4] == i[2:4]:
                    found = _same(origins, function, makers, last, i)
                    if found is not None:
                        yield found
                last = i
            elif i[0] not in _PLAIN:
                last = None


def _regions(region: Region) -> Iterator[Region]:
    yield region
    for i in region:
        for part in i:
            if isinstance(part, list) and part:
                for inner in part if isinstance(part[0], list) else [part]:
                    yield from _regions(inner)


def _same(
    origins: Origins, function: Function, makers: Makers, first: Instruction, second: Instruction
) -> Repeated | None:
    before, made = makers.get(first[4]), makers.get(second[4])
    if before is None or made is None or before[0] != "call" or made[0] != "call":
        return None
    text = spelled(makers, made[1], _LONGEST)
    if "..." in text or text != spelled(makers, before[1], _LONGEST):
        return None
    operand = _operand(origins, function, makers, made)
    named = makers.get(operand) if operand is not None else None
    if named is None or named[0] != "load" or named[2] != second[2]:
        return None
    return Repeated(second[2].partition("%")[0], text, made[-1], before[-1])


def _operand(
    origins: Origins, function: Function, makers: Makers, call: Instruction
) -> Register | None:
    """What a call that gives the same again is given."""
    if any(star for star, _ in call[3]) or any(word is None for word, _ in call[4]):
        return None
    if origins.names.of_call(function, call) in _FUNCTIONS:
        return call[3][0][1] if call[3] else None
    callee = makers.get(call[2])
    return (
        callee[2] if callee is not None and callee[0] == "attr" and callee[3] in _METHODS else None
    )
