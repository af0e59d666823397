"""Paths for Orbax that begin in the working directory (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.optax import ABSOLUTE_PATHS
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins

_METHODS = frozenset(name.rpartition(".")[2] for name in ABSOLUTE_PATHS)
# What gives the path that its first argument begins with.
_JOINS = frozenset(
    ("os.path.join", "os.fspath", "os.path.normpath", "builtins.str", "pathlib.Path",
     "pathlib.PurePath", "pathlib.PosixPath", "etils.epath.Path", "etils.epath.path.Path")
)  # fmt: skip
_STEPS = 8


def relative_paths(origins: Origins, function: Function) -> Iterator[Span]:
    """Those that the calls of one function get."""
    makers = origins.links.makers(function)
    for i in steps_of(function):
        callee = makers.get(i[2]) if i[0] == "call" else None
        if callee is None or callee[0] not in ("attr", "load"):
            continue
        if (callee[3] if callee[0] == "attr" else callee[2]) not in _METHODS:
            continue
        place = ABSOLUTE_PATHS.get(origins.called(function, i))
        path = _argument(i, *place) if place is not None else None
        if path is None or origins.is_attempted(function, i):
            continue
        text = _beginning(origins, function, path, _STEPS)
        if text is not None and _is_relative(text):
            yield makers[path][-1]


def _argument(call: Instruction, place: int, name: str) -> Register | None:
    if any(star for star, _ in call[3]):
        return None
    return call[3][place][1] if place < len(call[3]) else dict(call[4]).get(name)


def _is_relative(text: str) -> bool:
    """No root, no drive, no scheme; of `"~"` and of variables somebody else takes care."""
    return bool(text) and text[0] not in "/\\~$%" and ":" not in text.partition("/")[0]


def _beginning(origins: Origins, function: Function, register: Register, left: int) -> str | None:
    """The first characters of the text that it holds; None where they are not known."""
    found = origins.of(function, register)
    if found is None:
        made = origins.reader(function).made(register)
        is_given = made is not None and made[0] == "load" and made[3] == 0
        given = origins.given_by_caller(function, made[2]) if is_given and made else None
        return _beginning(origins, *given, left - 1) if given is not None and left else None
    owner, made = found
    if not left or isinstance(made, str):
        return None
    if made[0] == "const":
        return made[2] if isinstance(made[2], str) else None
    if made[0] == "fstr":
        if made[3][:1] and made[3][0] is not None:
            return made[3][0]
        return _beginning(origins, owner, made[2][0], left - 1)
    if made[0] == "binop" and made[2] in ("Add", "Div"):
        return _beginning(origins, owner, made[3], left - 1)
    if made[0] != "call" or not made[3] or made[3][0][0]:
        return None
    name = origins.names.of_call(owner, made)
    callee = origins.links.makers(owner).get(made[2])
    is_text = callee is not None and callee[0] == "load" and callee[2:4] == ("str", -1)
    joins = name in _JOINS or is_text
    return _beginning(origins, owner, made[3][0][1], left - 1) if joins else None
