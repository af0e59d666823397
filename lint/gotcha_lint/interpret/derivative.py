"""Where a derivative is cut, and where it is undefined: marks of results, in a gradient's trace.

Nothing is marked outside of a gradient, so that other code costs nothing. A function is run apart
for it (see the modes of `functions`), and the flows of its arguments are part of its context.
"""

from __future__ import annotations

from typing import Any

from gotcha_lint.domain.derivative import AT, CUT, POLE, after_step, flows_in
from gotcha_lint.domain.freshness import marked_deep
from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.tracers import holds_tracers
from gotcha_lint.domain.value import Array, Constant, Marks, Number, Symbol, Value, all_marks
from gotcha_lint.facts.slopes import DRAWS, STEPS
from gotcha_lint.interpret.machine import Machine

_STEPWISE = STEPS | {name.rpartition(".")[2] for name in DRAWS}
_STEPWISE |= {"fix", "around", "floor_divide"}

ARRAY_METHODS = frozenset(
    ("argmax", "argmin", "astype", "round", "mean", "sum", "max", "min", "reshape", "squeeze",
     "transpose", "std", "var", "prod", "ravel", "flatten", "clip", "cumsum", "sort", "argsort")
)  # fmt: skip


# Fields of structs are seldom called so.
OF_ARRAYS_ALONE = frozenset(
    ("argmax", "argmin", "astype", "round", "reshape", "squeeze", "ravel", "flatten", "argsort")
)


def is_opaque(value: Value) -> bool:
    """Does it follow from what a gradient is taken of, and is nothing else known of it?"""
    return bool(flows_in(value.marks)) and (value.unknown or is_symbol(value))


def as_array(value: Value, origin: Origin) -> Value:
    """What is differentiated, and has methods of arrays, is one."""
    if not value.unknown and not any(isinstance(atom, Symbol) for atom in value.atoms):
        return value
    atoms = [atom for atom in value.atoms if not isinstance(atom, Symbol)]
    known = Array(None, False, None, "device", origin)
    return Value((*atoms, known), False, value.marks, value.choice)


def kept(machine: Machine, out: Value, *given: Value) -> Value:
    """What is taken out of a tree, or made of one, still follows from what that follows from."""
    if not machine.differentiated:
        return out
    flows = flows_in(all_marks(given))
    return marked_deep(out, flows) if flows else out


def at_key(found: Value, base: Marks, key: Any) -> Value:
    """A leaf of what is differentiated: it depends on that leaf alone."""
    flows = flows_in(base)
    marks = (found.marks - flows) | after_step(base, (AT, key))
    return Value(found.atoms, found.unknown, marks, found.choice)


def cut(machine: Machine, value: Value, span: Span, word: str) -> Value:
    """No derivative flows through what has made the value.

    What a caller gives for a symbol would bring its flows with it, so it becomes unknown.
    """
    if not flows_in(value.marks):
        return value
    marks = after_step(value.marks, (CUT, machine.origin(span), word))
    atoms = [atom for atom in value.atoms if not isinstance(atom, Symbol)]
    return Value(atoms, value.unknown or len(atoms) < len(value.atoms), marks, value.choice)


def pole(machine: Machine, value: Value, operand: Value, span: Span, word: str) -> Value:
    """The derivative of what has made the value is infinite where the operand is zero."""
    return value.marked(after_step(flows_in(operand.marks), (POLE, machine.origin(span), word)))


def is_differentiated(machine: Machine, x: Value, y: Value) -> bool:
    """Arithmetic on what is differentiated, or traced, is that of arrays."""
    if machine.traced and any(map(holds_tracers, (x, y))):
        return all(map(_is_operand, (x, y)))
    if not machine.differentiated:
        return False
    return any(map(is_opaque, (x, y)))


def _is_operand(value: Value) -> bool:
    """A number, an array, or what a caller gives."""
    atom = value.only
    number = isinstance(atom, (Constant, Number)) and atom.type in ("int", "float", "bool")
    return number or isinstance(atom, (Array, Symbol))


def is_symbol(value: Value) -> bool:
    return all(isinstance(atom, Symbol) for atom in value.atoms)


def after_operation(machine: Machine, value: Value, name: str, span: Span) -> Value:
    """Whole numbers and truth values have no derivative, and steps none but zero."""
    if name in _STEPWISE or _is_discrete(value):
        return cut(machine, value, span, name)
    return value


def _is_discrete(value: Value) -> bool:
    if value.unknown or not value.atoms:
        return False
    return all(isinstance(a, Array) and _is_whole(a.dtype) for a in value.atoms)


def _is_whole(dtype: str | None) -> bool:
    return dtype is not None and ("int" in dtype or dtype == "bool")
