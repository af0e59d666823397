"""Marks that say how young a value is: made by a dispatch in this turn, or read by the host.

`("made", path, span)`: it follows from what the dispatch there has given in this turn of the loops
around. In the next turn this becomes `("kept", path, span)`: a read of it waits for nothing.
`("read", path, span)`: it follows from what the host has read from the device there.
`("history", path, span)`: it was added, in a loop, to the list that is made there.
`("turn", loop)`: something unknown that is written in each turn of the loop.
`("clock", path, span)`: the clock was read there.
`("schedule",)`: a function that computes on the device whenever it is called.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from gotcha_lint.domain.sites import Origin
from gotcha_lint.domain.value import Atom, Mapping, Marks, Method, Sequence, Tuple, Value

_MADE, _KEPT, _READ = "made", "kept", "read"
TURN = "turn"
_HISTORY = "history"

_CLOCK = "clock"
SCHEDULE: Marks = frozenset((("schedule",),))

_MARKS = 4096  # sets of marks whose parts are kept
Aged = dict[Value, Value]  # what was computed already


def made_at(origin: Origin) -> tuple[str, Any, Any]:
    return (_MADE, *origin)


def read_at(origin: Origin) -> tuple[str, Any, Any]:
    return (_READ, *origin)


def without_dispatches(marks: Marks) -> Marks:
    """Of what an array is, not of its contents: its shape is known before it is computed."""
    return frozenset(mark for mark in marks if mark[0] not in _OF_CONTENTS) if marks else marks


def made_in(marks: Marks) -> Marks:
    """The dispatches of this turn that a value follows from."""
    return _of_kinds(marks, _MADE) if marks else marks


@lru_cache(maxsize=_MARKS)
def _of_kinds(marks: Marks, *kinds: str) -> Marks:
    """Those that begin with one of these words: asked again and again of the same marks."""
    return frozenset(mark for mark in marks if mark[0] in kinds)


def dispatched(marks: Marks) -> Marks:
    """The same for dispatches of this turn and of older ones, as marks of this turn."""
    if not marks:
        return marks
    return frozenset((_MADE, *mark[1:]) for mark in _of_kinds(marks, _MADE, _KEPT))


def taken_from(found: Value, whole: Value) -> Value:
    """An element of what a dispatch has given: it comes from that dispatch, too."""
    marks = _of_kinds(whole.marks, _MADE, _KEPT)
    return marked_deep(found, marks, again=True) if marks else found


def added(value: Value, origin: Origin, known: Aged) -> Value:
    """As an element of a list that grows: it is unknown which of them is read later."""
    old = aged(value, known)
    if old is value and not dispatched(old.marks):
        return old
    return marked_deep(old, frozenset(((_HISTORY, *origin),)))


def histories(marks: Marks) -> Marks:
    """The lists that a value was taken from."""
    return _of_kinds(marks, _HISTORY) if marks else marks


def without_histories(marks: Marks) -> Marks:
    return marks - histories(marks)


def kept_from(origin: Origin) -> tuple[str, Any, Any]:
    return (_KEPT, *origin)


def sources_in(marks: Marks) -> Marks:
    """The reads and older dispatches that a value follows from.

    Parameters are kept too: they may stand for some.
    """
    return frozenset(mark for mark in marks if mark[0] in _SOURCES) if marks else marks


_SOURCES = frozenset((_READ, _KEPT, "parameter"))
_OF_CONTENTS = frozenset((_MADE, _KEPT, _HISTORY))


def after(marks: Marks, seen: Marks) -> Marks:
    """Of what the host makes of what it has read: nothing in it has to be waited for."""
    return (marks - made_in(marks)) | seen


def given_by(value: Value, origin: Origin) -> Value:
    """The result of a dispatch, and all that is in it: no element of a list any more."""
    return marked_deep(value, frozenset((made_at(origin),)), again=True)


def marked_deep(value: Value, marks: Marks, again: bool = False) -> Value:
    """The value and all that is in it, varying with these besides.

    `again`: it is computed of what it was taken from, so that is forgotten.
    """
    atoms: list[Atom] = []
    for atom in value.atoms:
        if isinstance(atom, Tuple):
            atom = replace(
                atom, items=tuple(marked_deep(item, marks, again) for item in atom.items)
            )
        elif isinstance(atom, Mapping):
            rest = None if atom.rest is None else marked_deep(atom.rest, marks, again)
            atom = replace(
                atom, values=tuple(marked_deep(v, marks, again) for v in atom.values), rest=rest
            )
        elif isinstance(atom, Sequence):
            atom = replace(atom, element=marked_deep(atom.element, marks, again))
        atoms.append(atom)
    own = without_histories(value.marks) if again else value.marks
    return Value(atoms, value.unknown, own | marks, value.choice)


def without_deep(value: Value, marks: Marks) -> Value:
    """The value and what is in it as a tuple, varying with these no more."""
    atoms = [
        replace(atom, items=tuple(without_deep(item, marks) for item in atom.items))
        if isinstance(atom, Tuple)
        else atom
        for atom in value.atoms
    ]
    return Value(atoms, value.unknown, value.marks - marks, value.choice)


def aged(value: Value, known: Aged) -> Value:
    """The same in the next turn: all that was made is there by then, or waited for elsewhere."""
    found = known.get(value)
    if found is None:
        found = known[value] = _aged(value, known)
    return found


def _aged(value: Value, known: Aged) -> Value:
    atoms = [_aged_atom(atom, known) for atom in value.atoms]
    marks, choice = _aged_marks(value.marks), _aged_marks(value.choice)
    same = marks is value.marks and choice is value.choice
    if same and all(new is old for new, old in zip(atoms, value.atoms, strict=True)):
        return value
    return Value(atoms, value.unknown, marks, choice)


def _aged_marks(marks: Marks) -> Marks:
    fresh = made_in(marks)
    return (marks - fresh) | {(_KEPT, *mark[1:]) for mark in fresh} if fresh else marks


def _aged_atom(atom: Atom, known: Aged) -> Atom:
    if isinstance(atom, Tuple):
        items = tuple(aged(item, known) for item in atom.items)
        same = all(new is old for new, old in zip(items, atom.items, strict=True))
        return atom if same else replace(atom, items=items)
    if isinstance(atom, Sequence):
        element = aged(atom.element, known)
        return atom if element is atom.element else replace(atom, element=element)
    if isinstance(atom, Mapping):
        values = tuple(aged(item, known) for item in atom.values)
        rest = None if atom.rest is None else aged(atom.rest, known)
        same = all(new is old for new, old in zip(values, atom.values, strict=True))
        return atom if same and rest is atom.rest else replace(atom, values=values, rest=rest)
    if isinstance(atom, Method):
        receiver = aged(atom.receiver, known)
        return atom if receiver is atom.receiver else replace(atom, receiver=receiver)
    return atom


def has_read(marks: Marks) -> bool:
    """Does it follow from what the device computes?"""
    return any(mark[0] in (_READ, _MADE) for mark in marks)


def is_fetched(marks: Marks) -> bool:
    """Does it follow from what the host has read, and from nothing that was dispatched since?"""
    return any(mark[0] == _READ for mark in marks) and not made_in(marks)


def clock_at(origin: Origin) -> tuple[str, Any, Any]:
    return (_CLOCK, *origin)


def clocks_in(marks: Marks) -> Marks:
    """Where the clock was read that a value is."""
    return frozenset(mark for mark in marks if mark[0] == _CLOCK) if marks else marks
