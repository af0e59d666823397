"""The lines of the user's that give a captured variable another value: `target = params`.

Read from the bytecode of the functions that can be reached by name. It under-approximates:
`setattr`, `exec`, `list.append` and what another module assigns are not among them.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FrameType

from gotcha_sanitizer.frames import owner
from gotcha_sanitizer.hooks.capture import Read

_FRAMES, _CODES = 400, 256
_NAMES = {"STORE_DEREF": "closure", "STORE_GLOBAL": "global", "STORE_NAME": "global"}
_LOADS = ("LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR")
_IN_PLACE = ("STORE_SUBSCR", "STORE_SLICE", "DELETE_SUBSCR")

Lines = frozenset[int]


def stack_codes(frame: FrameType | None, most: int = 8) -> list[CodeType]:
    """The code of the user's functions that run, innermost first."""
    found: list[CodeType] = []
    for _ in range(_FRAMES):
        if frame is None or len(found) == most:
            break
        if owner(frame.f_code.co_filename) == "user":
            found.append(frame.f_code)
        frame = frame.f_back
    return found


def writers(
    frame: FrameType | None, base: types.FunctionType, reads: list[Read]
) -> list[tuple[CodeType, Lines]]:
    """Each code object that writes to what was read, with the lines that do."""
    names = frozenset(
        (read.kind if "." not in read.name else "attribute", read.name.rpartition(".")[2])
        for read in reads
    )
    found: list[tuple[CodeType, Lines]] = []
    for code in _candidates(frame, base):
        if code is not base.__code__ and (lines := _lines(code, names)):
            found.append((code, lines))
    return found


def _candidates(frame: FrameType | None, base: types.FunctionType) -> Iterator[CodeType]:
    """Code that runs, and that of the module's functions and methods, with what is nested in it."""
    todo = stack_codes(frame)
    for value in list(base.__globals__.values()):
        held = vars(value).values() if isinstance(value, type) else (value,)
        for each in list(held):
            if isinstance(each, types.FunctionType) and each.__globals__ is base.__globals__:
                todo.append(each.__code__)
    seen: set[int] = set()
    while todo and len(seen) < _CODES:
        code = todo.pop(0)
        if id(code) in seen:
            continue
        seen.add(id(code))
        todo += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
        yield code


def _lines(code: CodeType, names: frozenset[tuple[str, str]]) -> Lines:
    stores, loads, in_place = _written(code)
    plain = {name for _, name in names}
    lines = {line for kind, name, line in stores if (kind, name) in names}
    lines |= {line for name, line in loads if name in plain and line in in_place}
    return frozenset(lines)


@lru_cache(maxsize=1024)
def _written(
    code: CodeType,
) -> tuple[tuple[tuple[str, str, int], ...], tuple[tuple[str, int], ...], Lines]:
    """(kind, name, line) of each store; (name, line) of each load; lines that change in place."""
    stores, loads, in_place = [], [], set()
    for step in dis.get_instructions(code):
        line = step.positions.lineno if step.positions else None
        if line is None:
            continue
        if step.opname in _NAMES:
            stores.append((_NAMES[step.opname], step.argval, line))
        elif step.opname == "STORE_ATTR":
            stores.append(("attribute", step.argval, line))
        elif step.opname in _IN_PLACE:
            in_place.add(line)
        elif step.opname in _LOADS:
            loads.append((step.argval, line))
    return tuple(stores), tuple(loads), frozenset(in_place)
