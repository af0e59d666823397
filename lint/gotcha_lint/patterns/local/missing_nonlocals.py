"""Values that an inner function stores under a name of the function around it (floor `patterns`).

Must: without `nonlocal` the store makes a name of the inner function, which never reads it, while
the function around it reads its own name later, with the value from before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.dead_stores import dead_stores
from gotcha_lint.program.ir import Function, Instruction, Span


@dataclass(frozen=True, slots=True)
class MissingNonlocal:
    """`inner`: the function that stores; `read`: where the one around it reads its own name."""

    inner: Function
    span: Span
    name: str
    read: Span


def missing_nonlocals(function: Function) -> Iterator[MissingNonlocal]:
    """Those of the functions that are defined in this one."""
    if function.is_module or function.is_class:
        return
    steps = steps_of(function)
    for place, made in enumerate(steps):
        if made[0] != "closure":
            continue
        inner = made[2]
        dead = dead_stores(inner)
        if not dead:
            continue
        shared = {i[2] for i in steps[:place] if i[0] == "store" and i[3] == 0}
        for name, span in _lost(inner, dead, shared):
            after = [i for i in steps[place + 1 :] if i[0] in ("load", "store") and i[2] == name]
            if after and after[0][0] == "load" and after[0][3] == 0:
                yield MissingNonlocal(inner, span, name, after[0][-1])


def _lost(inner: Function, dead: dict[Span, str], shared: set[str]) -> Iterator[tuple[str, Span]]:
    """The names that it stores to alone, in statements of their own."""
    by_name: dict[str, list[Instruction]] = {}
    for i in steps_of(inner):
        if i[0] in ("store", "load") and i[3] == 0:
            by_name.setdefault(i[2], []).append(i)
    parts = _parts(inner)
    taken = {p.name for p in inner.parameters} | inner.captured | inner.nonlocals | inner.globals
    for name, uses in by_name.items():
        is_lost = all(i[0] == "store" and i[-1] in dead and i[4] not in parts for i in uses)
        if is_lost and name in shared and name not in taken and not name.startswith("_"):
            yield name, uses[0][-1]


def _parts(function: Function) -> set[object]:
    """Registers that a loop, a `with` or an unpacking fills: a name may be there for the others."""
    found = set[object]()
    for i in steps_of(function):
        if i[0] == "unpack":
            found.update(i[3])
        elif i[0] == "for":
            found.add(i[3])
        elif i[0] in ("enter", "caught", "import"):
            found.add(i[1])
    return found
