"""Whole numbers of more than 32 bits, by where they come from (floor `patterns`).

Followed through names, sums and what leaves a number as long as it is; it under-approximates, but
for sources that are nearly always that long, such as the hash of a text.
"""

from __future__ import annotations

from gotcha_lint.facts.seeds import BITS, LONG, LONG_ATTRIBUTES, SHORTENS
from gotcha_lint.program.ir import Instruction, Register, Span
from gotcha_lint.program.reader import NamedReader

_DEPTH = 12
_SUMS = frozenset(("Add", "BitOr", "BitXor"))
_WORD = 2**BITS
_DIGEST, _HEXADECIMAL = "hexdigest", 16
_TEXTS = frozenset(("str", "bytes"))


def long_number(reader: NamedReader, register: Register, depth: int = 0) -> Span | None:
    """The source of a number that is surely, or nearly so, above 32 bits."""
    made = reader.made(register)
    if made is None or depth > _DEPTH:
        return None
    if made[0] == "attr" and is_of_uuid(reader, made):
        return made[-1]
    if made[0] == "binop" and made[2] in _SUMS:
        left = long_number(reader, made[3], depth + 1)
        return left or long_number(reader, made[4], depth + 1)
    return _called(reader, made, depth) if made[0] == "call" else None


def is_of_uuid(reader: NamedReader, made: Instruction) -> bool:
    """`uuid.uuid4().int`: 128 bits."""
    base = reader.made(made[2]) if made[0] == "attr" and made[3] in LONG_ATTRIBUTES else None
    return base is not None and base[0] == "call" and reader.dotted(base[2]).startswith("uuid.")


def lost_part(reader: NamedReader, register: Register, depth: int = 0) -> Span | None:
    """The part of a sum whose bits are all above the 32nd: `rank << 32`, `rank * 2**32`."""
    made = reader.made(register)
    if made is None or made[0] != "binop" or depth > _DEPTH:
        return None
    _, _, operator, left, right, span = made
    if operator == "LShift":
        by = number(reader, right)
        return span if by is not None and by >= BITS and number(reader, left) is None else None
    if operator in _SUMS:
        return lost_part(reader, left, depth + 1) or lost_part(reader, right, depth + 1)
    if operator == "Mult":
        factors = [n for n in (number(reader, left), number(reader, right)) if n]
        return span if len(factors) == 1 and factors[0] % _WORD == 0 else None
    return None


def number(reader: NamedReader, register: Register) -> int | None:
    """A whole number that is written out: `2**32`, `8`."""
    made = reader.made(register)
    if made is not None and made[0] == "const" and type(made[2]) is int:
        return made[2]
    if made is None or made[0] != "binop" or made[2] not in ("Pow", "LShift"):
        return None
    one, other = number(reader, made[3]), number(reader, made[4])
    if one is None or other is None or not 0 <= other < 2**9:
        return None
    return one**other if made[2] == "Pow" else one << other


def _called(reader: NamedReader, call: Instruction, depth: int) -> Span | None:
    args = [register for star, register in call[3] if not star]
    name = reader.dotted(call[2]) or f"builtins.{_builtin(reader, call)}"
    if name in SHORTENS and len(args) == 1:
        return long_number(reader, args[0], depth + 1)
    if name == "builtins.int" and len(args) == 2 and number(reader, args[1]) == _HEXADECIMAL:
        digest = reader.made(args[0])
        if digest is None or digest[0] != "call" or reader.function_of(digest) != _DIGEST:
            return None
        return call[-1]
    if name == "builtins.hash":
        return call[-1] if args and _is_text_or_tuple(reader.made(args[0])) else None
    if name not in LONG:
        return None
    bits = number(reader, args[0]) if LONG[name] and args else None
    return call[-1] if not LONG[name] or (bits is not None and bits > BITS) else None


def _builtin(reader: NamedReader, call: Instruction) -> str:
    made = reader.makers.get(call[2])
    return made[2] if made is not None and made[0] == "load" and made[3] == -1 else ""


def _is_text_or_tuple(made: Instruction | None) -> bool:
    """Small integers hash to themselves; text and tuples do not."""
    if made is None:
        return False
    if made[0] == "const":
        return type(made[2]).__name__ in _TEXTS
    return made[0] == "fstr" or (made[0] == "build" and made[2] == "tuple")
