"""Code that asks which release is installed, or what it has (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Region, Register, Span

_ERRORS = frozenset(
    ("ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException")
)
_ASKS = ("version", "type_checking", "has_", "have_", "find_spec", "_ge_", "_lt_", "legacy")
_ATTRIBUTES = frozenset(("hasattr", "getattr"))
_ENDS = frozenset(("return", "raise", "continue", "break"))

Tests = tuple[Span, ...]


def prepared(
    function: Function, makers: Mapping[Register, Instruction], every: bool = False
) -> dict[int, Tests | None]:
    """The tests before each instruction, by its identity; None in a `try` that catches its absence.

    Those of the branches that it is in, and of those above that leave the block. `every`: any error
    that is caught counts.
    """
    found: dict[int, Tests | None] = {}

    def walk(code: Region, tests: Tests | None) -> None:
        for i in code:
            found[id(i)] = tests
            inner = tests
            if i[0] == "if" and tests is not None and i[2] in makers:
                inner = (*tests, makers[i[2]][-1])
                if i[3] and i[3][-1][0] in _ENDS and not i[4]:
                    walk(i[3], inner)
                    tests = inner
                    continue
            elif i[0] == "try" and any(every or _catches(makers, handler) for handler in i[3]):
                inner = None
            for part in i:
                for region in part if _has_regions(part) else [part]:
                    if isinstance(region, list):
                        walk(region, inner)

    walk(function.body, ())
    return found


def _has_regions(part: object) -> bool:
    return isinstance(part, list) and bool(part) and isinstance(part[0], list)


def _catches(makers: Mapping[Register, Instruction], handler: Region) -> bool:
    """Does it catch the absence of a name? `with pytest.raises(...)` has no type here."""
    start = next((i for i in handler if i[0] == "caught"), None)
    return start is None or start[2] is None or not _ERRORS.isdisjoint(kinds(makers, start[2]))


def kinds(makers: Mapping[Register, Instruction], register: Register) -> Iterator[str]:
    """The last words of the types that a handler catches."""
    made = makers.get(register)
    if made is not None and made[0] == "build":
        for _, each in made[3]:
            yield from kinds(makers, each)
    elif made is not None and made[0] in ("load", "attr"):
        yield made[2] if made[0] == "load" else made[3]


def asks(function: Function, test: Span, words: Collection[str]) -> bool:
    """A condition that tells releases apart, by their number or by what they have.

    `words` are those of the names that may be missing: `hasattr(env, "reset")` asks for another.
    """
    inside = [i for i in steps_of(function) if test[:2] <= i[-1][:2] and i[-1][2:] <= test[2:]]
    text = " ".join(map(_text, inside)).lower()
    if any(word in text for word in _ASKS):
        return True
    made = {i[1]: i for i in inside}
    return any(i[0] == "call" and _asks_for(made, i, words) for i in inside)


def _text(i: Instruction) -> str:
    if i[0] in ("load", "const"):
        return str(i[2])
    if i[0] == "call":
        return " ".join(name for name, _ in i[4] if name)
    return str(i[3]) if i[0] == "attr" else ""


def _asks_for(
    made: Mapping[Register, Instruction], call: Instruction, words: Collection[str]
) -> bool:
    callee = made.get(call[2])
    if callee is None or callee[0] != "load" or callee[2] not in _ATTRIBUTES or len(call[3]) < 2:
        return False
    name = made.get(call[3][1][1])
    if name is None or name[0] != "const" or not isinstance(name[2], str) or name[2] in words:
        return True
    owner: set[str] = set()
    part = made.get(call[3][0][1])
    while part is not None and part[0] == "attr":
        owner.add(part[3])
        part = made.get(part[2])
    return part is not None and part[0] == "load" and {part[2], *owner} <= set(words)
