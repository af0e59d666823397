"""Functions that put settings of JAX and the environment right, by their text (floor `patterns`).

A short function that only sets something, and gives nothing back, sets it where it is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from gotcha_lint.facts.environment import IMPORT_JAX, READ_AT_IMPORT, SPAWNS, STARTS_PROCESSES
from gotcha_lint.facts.options import IS_INITIALIZED
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span

X64 = "jax_enable_x64"
_LONGEST = 8  # calls; what does more is a program of its own
_NARROW = re.compile(r"(?:f|float|int|uint|bits?_?)32|32_?bit")
_SPAWNING = frozenset(name.partition(".")[2] for name in SPAWNS)


def only_sets(function: Function) -> bool:
    """Does it nothing but put settings right? Nothing is given back, nothing is repeated."""
    if function.is_module or function.is_class or function.name == "<lambda>":
        return False
    steps = steps_of(function)
    if any(i[0] in ("for", "while", "yield") for i in steps):
        return False
    made = {i[1]: i for i in steps}
    gives = [i for i in steps if i[0] == "return" and i[2] is not None]
    if any(made.get(i[2], ("",))[0] not in ("call", "const") for i in gives):
        return False
    return sum(i[0] == "call" for i in steps) <= _LONGEST


def options_set(function: Function) -> Iterator[tuple[str, object]]:
    """Names and values of `jax.config.update(name, value)`; a value that is no constant is None."""
    made = {i[1]: i for i in steps_of(function)}
    for i in steps_of(function):
        if i[0] == "call" and len(i[3]) == 2 and _word(made, i[2]) == "update":
            name, value = (made.get(register) for _, register in i[3])
            if name is not None and name[0] == "const" and isinstance(name[2], str):
                yield name[2], value[2] if value is not None and value[0] == "const" else None


def asks_whether_initialized(function: Function, test: Span | None = None) -> bool:
    """Does it, or this test in it, call `is_initialized`?"""
    return any(
        i[0] == "attr" and i[3] == IS_INITIALIZED and (test is None or _within(i[-1], test))
        for i in steps_of(function)
    )


def is_narrow_on_purpose(function: Function, span: Span) -> bool:
    """`error_f32 = ...`, `jnp.ones(3, jnp.float32)`: words of the lines of a call say 32 bits."""
    return any(
        _NARROW.search(str(word)) is not None
        for i in steps_of(function)
        if span[0] <= i[-1][0] <= span[2] and i[0] in ("load", "store", "attr", "const", "call")
        for word in _words(i)
    )


def starts_processes(top: Function, function: Function) -> bool:
    """The environment may be meant for them."""
    imports = (i for i in steps_of(top) if i[0] == "import" and i[3] == 0)
    if any(i[2].partition(".")[0] in STARTS_PROCESSES for i in imports):
        return True
    return any(i[0] == "attr" and i[3].startswith(tuple(_SPAWNING)) for i in steps_of(function))


def calls_own_functions(top: Function, names: set[str], before: int) -> bool:
    """Does a module call a function of its own above this line?"""
    made = {i[1]: i for i in steps_of(top)}
    return any(
        i[0] == "call" and i[-1][0] < before and _loaded(made, i[2]) in names for i in steps_of(top)
    )


def word_at(function: Function, call: Span) -> str:
    """The last word of the function that is called there."""
    made = {i[1]: i for i in steps_of(function)}
    return next((_word(made, i[2]) for i in made.values() if i[0] == "call" and i[-1] == call), "")


def variables_after_import(top: Function) -> Iterator[tuple[str, Span, Span, str]]:
    """Variables that a module sets below a line that imports JAX: name, place, import, module.

    One that is set above it as well, in the same words, changes nothing.
    """
    early = _import_of_jax(top)
    if early is None:
        return
    found = list(_variables(top))
    above = {(name, value) for name, value, at in found if at < early[-1]}
    for name, value, at in found:
        if name in READ_AT_IMPORT and at > early[-1] and (name, value) not in above:
            yield name, at, early[-1], str(early[2])


def variables_in_function(
    top: Function, function: Function
) -> Iterator[tuple[str, Span, Span, str, Span]]:
    """The same, set by a function that the module calls below its imports, as it runs; and where.

    What is set for processes that start later is left out: as far as the file shows that it starts
    any, or sets the option too. So is what the module itself sets above the import.
    """
    early = _import_of_jax(top)
    called = None if early is None else _call_of(top, function, early[-1])
    if early is None or called is None or starts_processes(top, function):
        return
    options = {option for option, _ in (*options_set(function), *options_set(top))}
    above = {name for name, _, at in _variables(top) if at < early[-1]}
    for name, _, at in _variables(function):
        if name in READ_AT_IMPORT and name.lower() not in options and name not in above:
            yield name, at, early[-1], str(early[2]), called


def _call_of(top: Function, function: Function, after: Span) -> Span | None:
    """The first call of its plain name in the module itself, below a place."""
    made = {i[1]: i for i in steps_of(top)} if function.parent is top else {}
    calls = [i for i in made.values() if i[0] == "call"]
    if any(_loaded(made, i[2]) == function.name and i[-1] < after for i in calls):
        return None  # it has set them in time
    return next((i[-1] for i in calls if _loaded(made, i[2]) == function.name), None)


def _import_of_jax(top: Function) -> Instruction | None:
    return next(
        (i for i in top.body if i[0] == "import" and i[3] == 0 and _root(i) in IMPORT_JAX), None
    )


def _variables(top: Function) -> Iterator[tuple[str, object, Span]]:
    """Names, values and places of the environment variables that are set."""
    made = {i[1]: i for i in steps_of(top)}
    for one in variables_set(top):
        value = made.get(one.value) if one.value is not None else None
        yield one.name, value[2] if value is not None and value[0] == "const" else None, one.at[-1]


class Variable(NamedTuple):
    """`value`: the register of what it is set to; `at`: the instruction."""

    name: str
    value: Register | None
    at: Instruction


def variables_set(function: Function) -> Iterator[Variable]:
    """The environment variables that a function sets, by whichever way."""
    made = {i[1]: i for i in steps_of(function)}

    def constant(register: Register) -> object:
        i = made.get(register)
        return i[2] if i is not None and i[0] == "const" else None

    for i in steps_of(function):
        if i[0] == "setitem" and _word(made, i[2]) == "environ":
            yield Variable(str(constant(i[3])), i[4], i)
        elif i[0] == "call" and _word(made, i[2]) in ("setdefault", "putenv") and i[3]:
            value = i[3][1][1] if len(i[3]) > 1 else None
            is_set = value is None or constant(value) != ""
            if is_set and (_word(made, i[2]) == "putenv" or _is_of_environment(made, i[2])):
                yield Variable(str(constant(i[3][0][1])), value, i)
        elif i[0] == "call" and _word(made, i[2]) == "update" and _is_of_environment(made, i[2]):
            for name, register in i[4]:
                if name:
                    yield Variable(name, register, i)
            given = made.get(i[3][0][1]) if i[3] else None
            for key, register in given[2] if given is not None and given[0] == "dict" else ():
                if key is not None:
                    yield Variable(str(constant(key)), register, i)


def _is_of_environment(made: dict[Register, Instruction], callee: Register) -> bool:
    i = made.get(callee)
    return i is not None and i[0] == "attr" and _word(made, i[2]) == "environ"


def _root(i: Instruction) -> str:
    return str(i[2]).partition(".")[0]


def _words(i: Instruction) -> tuple[object, ...]:
    if i[0] == "call":
        return tuple(name for name, _ in i[4] if name)
    return (i[3],) if i[0] == "attr" else (i[2],)


def _word(made: dict[Register, Instruction], register: Register) -> str:
    i = made.get(register)
    return str(i[3]) if i is not None and i[0] == "attr" else _loaded(made, register)


def _loaded(made: dict[Register, Instruction], register: Register) -> str:
    i = made.get(register)
    return str(i[2]) if i is not None and i[0] == "load" else ""


def _within(span: Span, around: Span) -> bool:
    return around[:2] <= span[:2] and span[2:] <= around[2:]
