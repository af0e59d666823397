"""What layers of nnx change when they are called, where a plain `jax.jit` has copied them.

A batch norm renews its statistics, a dropout the count of its random numbers. `jax.jit` takes nnx
objects as trees, so both happen in a copy. Must: the layer is part of an argument, and nothing of
that argument comes back. A function that splits a module, or takes its state, may hand it back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gotcha_lint.domain.sites import Origin, Site, Span
from gotcha_lint.domain.value import Value
from gotcha_lint.interpret.effects import note as note_effect
from gotcha_lint.interpret.events import Effect
from gotcha_lint.interpret.faults.nnx_objects import COPIED
from gotcha_lint.interpret.faults.remarks import note
from gotcha_lint.interpret.layers.modes import layers_in, runs_in_training
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function

CHANGED = "layer state"  # changes when the layer is called
_COPYING = "jax.jit"  # `nnx.pmap` is known as `jax.pmap`, so that one is left out
_HANDS_BACK = frozenset(("state", "split", "pop", "clone", "to_pure_dict", "pure"))


def note_changed(machine: Machine, layer: Site, given: Value | None, span: Span) -> None:
    """A layer with a state of its own is called, in training mode."""
    if machine.traced and runs_in_training(machine, layer, given):
        note_effect(machine, CHANGED, layer.info["name"], span, owner=layer)


def check_lost(
    machine: Machine,
    site: Site,
    function: Function | None,
    given: Mapping[str, Value],
    result: Value,
    before: int,
) -> None:
    """After a trace: which of its arguments has changed in vain. `before`: events until then."""
    if function is None or machine.traced or site.info.get("library") != _COPYING:
        return
    changed = {
        event.owner: event
        for event in reversed(machine.events[before:])
        if isinstance(event, Effect) and event.kind == CHANGED and isinstance(event.owner, Site)
    }
    if not changed or any(i[0] == "attr" and i[3] in _HANDS_BACK for i in steps_of(function)):
        return
    kept = set(layers_in(machine, result))
    for name, value in given.items():
        held = [layer for layer in layers_in(machine, value) if layer in changed]
        if held and kept.isdisjoint(held):
            place = _within(function, changed[held[0]])
            if place is not None:
                traced = (*site.origin, "traced here")
                note(machine, COPIED, function, place[1], name, function.name, places=(traced,))
                return


def _within(function: Function, event: Effect) -> Origin | None:
    """Where the traced function itself calls what changes."""
    places: Iterable[Origin] = (*event.calls, (event.path, event.span))
    inside = (
        place
        for place in places
        if place[0] == function.path and function.line <= place[1][0] <= function.end_line
    )
    return next(inside, None)
