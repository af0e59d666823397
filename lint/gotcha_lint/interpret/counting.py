"""`x += 1` while JAX traces, on what outlives the trace: a global, an outer name, an object."""

from __future__ import annotations

from gotcha_lint.domain.sites import Frame, Site, Span
from gotcha_lint.domain.value import UNKNOWN, Object, Value
from gotcha_lint.interpret.arguments import is_tree
from gotcha_lint.interpret.effects import has_device_arrays, note
from gotcha_lint.interpret.heap import class_of, is_module_class
from gotcha_lint.interpret.machine import Machine, Registers
from gotcha_lint.program.ir import Place


def note_count(machine: Machine, place: Place, result: Value, span: Span, r: Registers) -> None:
    """Notes a number of the host that is counted on under a trace.

    Where the trace itself has made what is changed, `solve` leaves it out.
    """
    if not machine.traced or place is None or has_device_arrays(result):
        return
    if place[0] == "name":
        base, name = machine.locate(place[1], place[2])
        if base is not machine.activation.frame:
            owner = base.function if isinstance(base, Frame) else None
            note(machine, "count", name, span, owner=owner)
    elif place[0] == "attr":
        atom = r.get(place[1], UNKNOWN).only
        cls = class_of(atom) if atom is not None else None
        if isinstance(atom, Object) and cls is not None and not _is_copied(cls):
            note(machine, "count", place[2], span, owner=atom.site)


def _is_copied(cls: Site) -> bool:
    """A pytree, or a module: what is traced is a copy, which is returned."""
    return is_module_class(cls) or is_tree(cls)
