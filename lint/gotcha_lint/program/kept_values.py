"""Values that a function puts into a container, a queue or a thread (floor `program`).

Who holds them reads them later. It under-approximates: what a function of the project does with its
arguments is not looked at.
"""

from __future__ import annotations

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Register
from gotcha_lint.program.reader import Reader

_KEEPING = frozenset(("put", "put_nowait", "append", "appendleft", "send", "submit", "insert"))
_DEPTH = 4  # of calls and attributes between the value and what is kept


def is_kept(function: Function, text: str) -> bool:
    """`queue.put(nnx.state(model))`, of `model`; `text`: a name, or attributes of one."""
    reader = Reader(function)
    return any(
        step[0] == "call"
        and reader.is_method(step)
        and reader.function_of(step) in _KEEPING
        and any(_comes_from(reader, register, text, 0) for _, register in (*step[3], *step[4]))
        for step in steps_of(function)
    )


def _comes_from(reader: Reader, register: Register, text: str, depth: int) -> bool:
    step = reader.makers.get(register)
    if step is None or depth > _DEPTH:
        return False
    if _words(reader, register) == text:
        return True
    if step[0] in ("attr", "item"):
        return _comes_from(reader, step[2], text, depth + 1)
    if step[0] == "call":
        given = [register for _, register in (*step[3], *step[4])]
        callee = reader.makers.get(step[2])
        if len(given) > 1 and callee is not None and callee[0] == "load":
            return False  # `sample(key, state, steps)`: the result is another array
        return any(_comes_from(reader, each, text, depth + 1) for each in given)
    if step[0] == "build":
        return any(_comes_from(reader, each, text, depth + 1) for _, each in step[3])
    return False


def _words(reader: Reader, register: Register) -> str:
    step = reader.makers.get(register)
    if step is None or step[0] not in ("load", "attr"):
        return ""
    if step[0] == "load":
        return str(step[2])
    base = _words(reader, step[2])
    return f"{base}.{step[3]}" if base else ""
