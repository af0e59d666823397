"""Batches of a loader: what they hold is not known, but each leaf has a row for each example.

A batch is a symbol with a root of its own, so all that is read from it is stable, and what a
conversion makes of it (`jnp.asarray(batch["x"])`) is the same symbol: it has as many rows.
"""

from __future__ import annotations

from gotcha_lint.domain.record import record
from gotcha_lint.domain.sites import Origin
from gotcha_lint.domain.value import Array, Constant, Mapping, Symbol, Tuple, Value, only

EACH_ENTRY = ".each entry"  # a step to the value of some key


@record
class Batch:
    """Root of the symbols for what a loader gives in a turn; its last batch may be smaller."""

    made: Origin  # where the loader is made


def batch_of(value: Value) -> Symbol | None:
    """The batch, or the part of one, that a value is."""
    atom = value.only
    return atom if isinstance(atom, Symbol) and isinstance(atom.root, Batch) else None


def is_ragged(symbol: Symbol) -> Batch | None:
    """The batch of which this is a leaf with all of its rows."""
    root = symbol.root
    if not isinstance(root, Batch):
        return None
    for place, step in enumerate(symbol.path):
        if not isinstance(step, str) or step in ("[*]", "len"):
            return None
        if step[:1] == "[" and step[1:2] not in "'\"" and (place or not step[1:-1].isdigit()):
            return None  # a row, or some of them
    return root


BATCH_SIZE, DROPPED = "#batch size", "#drop last"  # of an object that is a loader


def keeps_rest(size: Value | None, dropped: Value | None) -> bool:
    """Does a loader that is told these two give a smaller batch at the end?"""
    if size is None or size.is_none or size.constant == 1:
        return False
    return dropped is None or (isinstance(dropped.only, Constant) and dropped.constant is False)


def as_batch(value: Value, batch: Symbol) -> Value:
    """A batch as a function of the program puts it together: its leaves have the batch's rows."""
    atom = value.only
    if isinstance(atom, Tuple):
        steps = [batch.step(f"[{place}]") or batch for place in range(len(atom.items))]
        items = tuple(map(as_batch, atom.items, steps))
        return only(Tuple(items, atom.origin), value.marks)
    if isinstance(atom, Mapping):
        steps = [batch.step(f"[{key!r}]") or batch for key in atom.keys]
        values = tuple(map(as_batch, atom.values, steps))
        return only(Mapping(atom.keys, values, atom.rest, atom.origin), value.marks)
    if isinstance(atom, Array):
        return value if atom.shape is not None else only(batch, value.marks)
    return only(batch, value.marks) if atom is None else value
