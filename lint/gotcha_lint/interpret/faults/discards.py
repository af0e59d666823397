"""A call whose result is thrown away, though it is all that the call gives."""

from __future__ import annotations

from gotcha_lint.domain.freshness import made_in
from gotcha_lint.domain.sites import Site, Span
from gotcha_lint.domain.value import Object, Sequence, Tuple, Value
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.effects import note
from gotcha_lint.interpret.machine import Machine

_VERSION = "version"
_DEPTH = 3  # of containers in containers


def mark_version(site: Site) -> None:
    """The object is a copy of another one with some fields changed: nothing else changes."""
    site.info[_VERSION] = True


def changes_nothing(call: Call) -> None:
    """The call gives a new object of the kind that it is a method of, and does nothing else."""
    if call.receiver.only is not None:
        call.engine.only_new = call.origin


def note_discard(machine: Machine, value: Value, span: Span) -> None:
    """The new version of an object is thrown away. What a dispatch gives may be a warm-up."""
    if machine.only_new == (machine.path, span):
        note(machine, "dropped", "dataset", span)
        return
    atom = value.only
    if not isinstance(atom, Object) or not atom.site.info.get(_VERSION) or made_in(value.marks):
        return
    if _is_kept(machine, atom.site):
        return
    places = () if atom.origin is None else (atom.origin,)
    note(machine, "dropped", str(atom.site.info.get("name")), span, origins=places)


def _is_kept(machine: Machine, site: Site) -> bool:
    """Has the call put it where others find it?"""
    written = (machine.peek(place) for place in machine.activation.writes)
    return any(value is not None and _holds(value, site, 0) for value in written)


def _holds(value: Value, site: Site, depth: int) -> bool:
    for atom in value.atoms:
        if isinstance(atom, Object) and atom.site is site:
            return True
        parts = atom.items if isinstance(atom, Tuple) else ()
        if isinstance(atom, Sequence):
            parts = (atom.element,)
        if depth < _DEPTH and any(_holds(part, site, depth + 1) for part in parts):
            return True
    return False
