"""`type(x)(parts)` where `x` may be a named tuple (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.program.data_flow import instructions, names_used, steps_of
from gotcha_lint.program.full_names import FullNames
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.reader import Reader
from gotcha_lint.program.spelled import dotted, spelled

_HANDLED = frozenset(("_fields", "_make", "_asdict"))
_SEQUENCES = frozenset(
    ("builtins.tuple", "typing.Tuple", "typing.Sequence", "collections.abc.Sequence",
     "typing.Iterable", "collections.abc.Iterable")
)  # fmt: skip


def rebuilt_tuples(origins: Origins, function: Function) -> Iterator[tuple[Span, str]]:
    """The calls of one function, with what is called."""
    if names_used(function).isdisjoint(("type", "__class__")):
        return
    reader = origins.reader(function)
    for i in steps_of(function):
        if i[0] != "call" or len(i[3]) != 1 or i[4] or i[3][0][0]:
            continue
        given = reader.makers.get(i[3][0][1])
        subject = _typed(reader, i[2]) if given is not None and _holds_parts(given) else ""
        if not subject:
            continue
        tests = [block[2] for block, part in reader.around[id(i)] if block[0] == "if" and part == 3]
        found = any(_is_tuple(origins.names, reader, test, subject) for test in tests)
        if found and not any(map(_handles, _words(function))):
            yield i[-1], spelled(reader.makers, i[2])


def _holds_parts(given: Instruction) -> bool:
    return given[0] == "load" or given[:1] + given[2:3] == ("build", "list")


def _typed(reader: Reader, register: Register) -> str:
    """x, in `type(x)` or `x.__class__`, or in a name that holds nothing but that."""
    made = reader.makers.get(register)
    if made is not None and made[0] == "load":
        stored = reader.stores.get(made[2], [])
        made = reader.makers.get(stored[0][4]) if len(stored) == 1 else None
    if made is None:
        return ""
    if made[0] == "attr" and made[3] == "__class__":
        return dotted(reader.makers, made[2])
    is_type = made[0] == "call" and dotted(reader.makers, made[2]) == "type" and len(made[3]) == 1
    return dotted(reader.makers, made[3][0][1]) if is_type else ""


def _is_tuple(names: FullNames, reader: Reader, test: Register, subject: str) -> bool:
    """An `if` around it has found that x is a tuple, and nothing more special."""
    made = reader.makers.get(test)
    if made is None or made[0] != "call" or len(made[3]) != 2:
        return False
    if dotted(reader.makers, made[2]) != "isinstance":
        return False
    if dotted(reader.makers, made[3][0][1]) != subject:
        return False
    return not _SEQUENCES.isdisjoint(_types(names, reader, made[3][1][1]))


def _types(names: FullNames, reader: Reader, register: Register) -> Iterator[str]:
    """The full names of the classes in the second argument of `isinstance`."""
    made = reader.makers.get(register)
    if made is not None and made[0] == "build":
        for _, one in made[3]:
            yield from _types(names, reader, one)
    elif made is not None and made[0] == "binop" and made[2] == "BitOr":
        for one in made[3:5]:
            yield from _types(names, reader, one)
    elif made is not None:
        word = dotted(reader.makers, register)
        yield names.of_register(reader.function, register) or f"builtins.{word}"


def _words(function: Function) -> Iterator[str]:
    for i in instructions(function.body):
        if i[0] in ("load", "store", "const") and isinstance(i[2], str):
            yield i[2]
        elif i[0] in ("attr", "setattr"):
            yield i[3]
        elif i[0] == "closure":
            yield from _words(i[2])


def _handles(name: str) -> bool:
    return name in _HANDLED or "namedtuple" in name.lower().replace("_", "")
