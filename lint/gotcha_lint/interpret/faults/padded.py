"""Batches that are as long as the longest of their items, out of a function that others call.

A loader that is given a collate function calls it for each batch. Nothing in the project says so:
the names of the function and of what it is given do, so that this is no more than a may.
"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.domain.sites import Origin
from gotcha_lint.domain.value import Array, Sequence, Tuple, Value
from gotcha_lint.interpret.faults.remarks import note
from gotcha_lint.interpret.heap import contents_of, mapping_of
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.own_sizes import LONGEST, origins, rows_of
from gotcha_lint.program.ir import Function

PADDED = "padded"
_WORDS = ("collate", "batch")
_DEPTH = 4  # of containers in containers


def note_padded(machine: Machine, function: Function, result: Value) -> None:
    """Of a root that nothing calls, and its result."""
    names = (function.name, *(parameter.name for parameter in function.parameters[:2]))
    if not any(word in name.lower() for name in names for word in _WORDS):
        return
    for path, span, *_ in dict.fromkeys(_longest(machine, result, 0)):
        if path == function.path:
            note(machine, PADDED, function, span, function.name, maybe=True)


def _longest(machine: Machine, value: Value, depth: int) -> Iterator[Origin]:
    """Where the sizes of arrays in a value are decided, if the longest of a batch decides them."""
    for atom in value.atoms if depth <= _DEPTH else ():
        if isinstance(atom, Array):
            rows = rows_of(atom, value.marks)
            for size in (*(atom.shape or ()), *(() if rows is None else rows[1:])):
                yield from origins(size.affine, LONGEST)
            continue
        content = contents_of(machine, atom)
        mapping = mapping_of(machine, atom) if content is None else None
        parts: tuple[Value, ...] = () if mapping is None else mapping.values
        if isinstance(content, Tuple):
            parts = content.items
        elif isinstance(content, Sequence):
            parts = (content.element,)
        for part in parts:
            yield from _longest(machine, part, depth + 1)
