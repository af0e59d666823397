"""Checkpoints that are saved in the background, in a file that waits for none (floor `patterns`).

Found by the text: the file makes the object that saves, keeps it, and never waits for it. An object
that a function returns or hands on may be waited for elsewhere, and nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.optax import SAVES_LATER
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import dotted

_CLASSES = frozenset(name.rpartition(".")[2] for name in SAVES_LATER)
_RESTORE = frozenset(f"{name}.restore" for name in SAVES_LATER if not name.endswith("Manager"))
_SAVE = frozenset(f"{name}.save" for name in SAVES_LATER)
_WAITS = frozenset(("wait_until_finished", "check_for_errors"))  # of any object
_ENDS = frozenset(("close", "wait", "__exit__"))  # of this one
_OTHERWISE = frozenset(  # what saves at once, and what is given an object that it may close
    ("PyTreeCheckpointer", "Checkpointer", "enable_async_checkpointing", "enter_context",
     "callback", "closing", "register", "push")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unawaited:
    """The last save of an object in a function; `owner`: the object, as it is written."""

    span: Span
    owner: str
    is_local: bool


def unawaited_saves(origins: Origins, module: Module) -> Iterator[tuple[Function, Unawaited]]:
    """The saves of a file."""
    bodies = origins.links.bodies(module)
    words = _Words(origins, bodies)
    if words.waits:
        return
    for function in bodies:
        last: dict[str, Instruction] = {}
        for i in steps_of(function):
            name, owner = _called(origins, function, i)
            if name in _SAVE:
                last[owner] = i
            elif name in _RESTORE:  # it waits first
                last.pop(owner, None)
        for owner, call in last.items():
            if owner.rpartition(".")[2] not in words.ended and not _leaves(
                origins, function, owner
            ):
                is_local = owner in function.locals and not any(
                    owner == parameter.name for parameter in function.parameters
                )
                yield function, Unawaited(call[-1], owner, is_local)


def _called(origins: Origins, function: Function, call: Instruction) -> tuple[str, str]:
    """The full name of a method that is called, and its object as it is written."""
    makers = origins.links.makers(function)
    made = makers.get(call[2]) if call[0] == "call" else None
    owner = dotted(makers, made[2]) if made is not None and made[0] == "attr" else ""
    if made is None or not owner or made[3] not in ("save", "restore"):
        return "", ""
    return f"{origins.library_given(function, made[2])}.{made[3]}", owner


class _Words:
    """What the functions of a file say of waiting. `ended`: names of objects that they close."""

    def __init__(self, origins: Origins, bodies: list[Function]) -> None:
        self.waits = False
        self.ended: set[str] = set()
        for function in bodies:
            makers = origins.links.makers(function)
            for i in steps_of(function):
                if i[0] == "attr":
                    self.waits |= i[3] in _WAITS or i[3] in _OTHERWISE
                    if i[3] in _ENDS:
                        self.ended.add(dotted(makers, i[2]).rpartition(".")[2])
                elif i[0] == "load":
                    self.waits |= i[2] in _OTHERWISE
                elif i[0] == "enter":
                    made = makers.get(i[2])
                    called = made[2] if made is not None and made[0] == "call" else i[2]
                    word = dotted(makers, called).rpartition(".")[2]
                    self.waits |= word in _CLASSES
                    self.ended.add(word)


def _leaves(origins: Origins, function: Function, owner: str) -> bool:
    """A local object is returned, kept under another name, or handed to others."""
    if "." in owner:
        return False
    makers = origins.links.makers(function)
    used = {register for register, i in makers.items() if i[0] == "load" and i[2] == owner}
    for i in steps_of(function):
        given: tuple[int, ...] = ()
        if i[0] == "call":
            given = (*(one for _, one in i[3]), *(one for _, one in i[4]))
        elif i[0] in ("return", "yield", "store"):
            given = (i[4],) if i[0] == "store" else (i[2],) if i[2] is not None else ()
        elif i[0] in ("build", "setattr", "setitem"):
            given = tuple(one for _, one in i[3]) if i[0] == "build" else (i[4],)
        if used.intersection(given):
            return True
    return False
