"""Handlers that catch the error of a tracer that is asked for its value, and go on without it."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.domain.sites import Span
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.data_flow import instructions, steps_of
from gotcha_lint.program.ir import Function, Instruction, Region

SWALLOWED = "swallowed"
TRIED_OUTSIDE = "tried outside"  # of a trace, where the array has its value
_BROAD = frozenset(("Exception", "BaseException"))
# The errors of tracers are TypeErrors; what names them, or `jax.errors`, was written for them.
_KNOWN = ("TypeError", "Tracer", "Concretization", "JAXTypeError", "JAXIndexError")
# Who writes such a word there knows that the code is traced.
_KNOWS = ("trac", "concret", "abstract", "jit", "compile", "static", "symbolic")


def check_handlers(machine: Machine, attempt: Instruction) -> None:
    """`attempt`: a `try` whose body has been run."""
    function = machine.activation.function
    handler = _swallowing(function, attempt)
    if handler is None:
        return
    if not machine.traced:
        remark(machine, TRIED_OUTSIDE, handler)
        return
    left = {i[2] for i in steps_of(function) if i[0] == "discard"}
    idle = {i[-1] for i in steps_of(function) if i[1] in left}
    sure = (span for span, guards in machine.asked if guards == machine.guards)
    asked = next((span for span in sure if span not in idle), None)
    if asked is not None:
        places = ((machine.path, asked, "raises while traced"),)
        remark(machine, SWALLOWED, handler, *map(str, asked), places=places)


def _swallowing(function: Function, attempt: Instruction) -> Span | None:
    """Where a handler takes a tracer's error without a word, and puts something in its place."""
    handlers: list[Region] = attempt[3]
    names = {str(name) for i in instructions([attempt]) for name in _names(i)}
    if any(word in name.lower() for name in names for word in _KNOWS):
        return None
    for handler in handlers:
        caught = next((i for i in handler if i[0] == "caught"), None)
        if caught is None:  # of a context that expects errors
            return None
        known = set() if caught[2] is None else set(_caught(function, caught[2]))
        if any(word in name for name in known for word in _KNOWN):
            return None
        if not known or known & _BROAD:
            return None if _answers(function, handler) else caught[-1]
    return None


def _names(i: Instruction) -> Iterator[object]:
    if i[0] in ("load", "store"):
        yield i[2]
    elif i[0] in ("attr", "setattr"):
        yield i[3]


def _caught(function: Function, register: object) -> Iterator[str]:
    """The last words of the classes that a handler waits for."""
    made = next((i for i in steps_of(function) if i[1] == register), None)
    if made is None:
        return
    if made[0] == "build":
        for _, part in made[3]:
            yield from _caught(function, part)
    elif made[0] in ("load", "attr"):
        yield str(made[2] if made[0] == "load" else made[3])


def _answers(function: Function, handler: Region) -> bool:
    """It raises, or says that there is no value: the caller hears of it."""
    nothing = {i[1] for i in steps_of(function) if i[0] == "const" and i[2] is None}
    return any(
        i[0] == "raise"
        or (i[0] == "return" and (i[2] is None or i[2] in nothing))
        or (i[0] == "store" and i[4] in nothing)
        for i in instructions(handler)
    )
