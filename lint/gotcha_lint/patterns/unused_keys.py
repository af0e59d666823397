"""Keys that `split` makes and nothing reads (floor `patterns`).

Must: the name is written and never read. The first part of the split may be kept under the name of
the old key, for a use that is not there yet; a name with an underscore says that it is meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.dead_stores import dead_stores
from gotcha_lint.program.ir import Function, Module, Register, Span
from gotcha_lint.program.reader import NamedReader

_SPLIT = "jax.random.split"


@dataclass(frozen=True)
class UnusedKeys:
    """`names`: the keys that nothing reads; `all_of_them`: so the whole split is for nothing.

    `parent`: the key that is split, where one of the new ones takes its name.
    """

    span: Span  # of the call of `split`
    names: tuple[str, ...]
    parent: str
    all_of_them: bool


def unused_keys(module: Module, function: Function) -> Iterator[UnusedKeys]:
    """The splits of one function of which a part is not used."""
    if "split" not in names_used(function):
        return
    dead = dead_stores(function)
    if not dead:
        return
    reader = NamedReader(module, function)
    stored = {i[4]: i for i in steps_of(function) if i[0] == "store"}
    kept = {i[4] for i in steps_of(function) if i[0] == "setattr"}
    for i in steps_of(function):
        call = reader.makers.get(i[2]) if i[0] == "unpack" else None
        if call is None or call[0] != "call" or reader.dotted(call[2]) != _SPLIT or not call[3]:
            continue
        parent = _name(reader, call[3][0][1])
        parts = [stored[register] for register in i[3] if register in stored]
        unread = [part[2] for part in parts if part[-1] in dead and not part[2].startswith("_")]
        names = tuple(name for name in unread if name != parent)
        left = [register for register in i[3] if register not in stored]
        if names and kept.issuperset(left):
            replaced = parent if parent in (part[2] for part in parts) else ""
            yield UnusedKeys(call[-1], names, replaced, len(unread) == len(i[3]))


def _name(reader: NamedReader, register: Register) -> str:
    made = reader.makers.get(register)
    return str(made[2]) if made is not None and made[0] == "load" else ""
