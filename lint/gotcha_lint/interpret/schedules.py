"""Schedules of optax outside of a trace: a few operations on the device at each call."""

from __future__ import annotations

from gotcha_lint.domain.freshness import SCHEDULE, made_at
from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import Array, Symbol, Value, only
from gotcha_lint.facts.optax import SCHEDULE_TYPE
from gotcha_lint.interpret.attributes import annotation_text
from gotcha_lint.interpret.effects import QUEUED, note, note_update
from gotcha_lint.interpret.machine import Machine

_OPERATIONS = 8  # bounds, a quotient, a power or a cosine, a sum
_COMPUTED = frozenset(
    f"optax.{name}"
    for name in (
        "cosine_decay_schedule", "cosine_onecycle_schedule", "exponential_decay",
        "join_schedules", "linear_onecycle_schedule", "linear_schedule",
        "piecewise_constant_schedule", "piecewise_interpolate_schedule", "polynomial_schedule",
        "sgdr_schedule", "warmup_constant_schedule", "warmup_cosine_decay_schedule",
        "warmup_exponential_decay_schedule",
    )
)  # fmt: skip


def is_computed(name: str) -> bool:
    """Does the schedule give an array? A constant one gives its number back."""
    return name in _COMPUTED


def is_schedule(callee: Value) -> bool:
    if not callee.marks.isdisjoint(SCHEDULE):
        return True
    atom = callee.only
    return isinstance(atom, Symbol) and annotation_text(atom) == SCHEDULE_TYPE


def rate_of(machine: Machine, span: Span) -> Value:
    """`schedule(step)`: computed on the device, after all that is queued there."""
    machine.dispatch(_OPERATIONS)
    note(machine, QUEUED, "schedule", span)
    if not any(guard.marks & machine.current for guard in machine.guards if not guard.of_loop):
        note_update(machine, "schedule", span)
    origin = machine.path, span
    return only(Array("float32", False, (), "device", origin), frozenset((made_at(origin),)))
