"""Elements of an array of the device that a loop takes one by one, and reads of them by the host.

Taking an element starts an operation, and reading it waits for the device, where one transfer of
the whole array would do. An element is marked in what is known of its `elements`, which all
operations but a few forget: what is computed from it is no element.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import (
    Array,
    Constant,
    Elements,
    Number,
    Tuple,
    Value,
    all_marks,
)
from gotcha_lint.interpret.effects import note
from gotcha_lint.interpret.elements import elements_of, with_elements
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.entry_loops import entry_loops
from gotcha_lint.program.rebinding import names_bound_in

_ELEMENT = "element"
ENTRY = "entry"  # one of the arrays of a dictionary or a tree
_COPIES = frozenset(("item", "tolist", "float", "int", "np.asarray", "np.array"))
_FEW = 16  # elements: a tenth of a millisecond for each


def of_row(machine: Machine, array: Array, row: Value) -> Value:
    """One row of an array that a loop goes through."""
    return _marked(array, row) if _is_read_slowly(machine, array) else row


def of_index(machine: Machine, base: Value, key: Value, register: int, out: Value) -> Value:
    """`array[i]`, of an `i` that varies with a loop around which does not change the array."""
    array = base.only
    if not isinstance(array, Array) or not _is_read_slowly(machine, array):
        return out
    atom = key.only
    parts = atom.items if isinstance(atom, Tuple) else (key,)
    loops = all_marks(parts) & machine.current - base.marks
    numbers = [p.only for p in parts if isinstance(p.only, (Constant, Number))]
    if not loops or len(numbers) < len(parts) or any(n.type != "int" for n in numbers):
        return out
    place = machine.activation.sources.get(register)
    bound = names_bound_in(machine.activation.function)
    if place is not None and any(place[1] in bound.get(loop[1:], ()) for loop in loops):
        return out
    return _marked(array, out).marked(loops)


def _is_read_slowly(machine: Machine, array: Array) -> bool:
    """It lies on the device, is no random key, and has more than a few elements."""
    few = bool(array.shape) and array.shape is not None and array.shape[0].high <= _FEW
    return not (machine.traced or few or array.place != "device" or array.key)


def _marked(array: Array, element: Value) -> Value:
    atom, known = element.only, elements_of(element) or Elements()
    if not isinstance(atom, Array) or atom.shape:
        return element
    return with_elements(element, replace(known, made=(_ELEMENT, array.origin)))


def of_comparison(x: Value, y: Value, out: Value) -> Value:
    """`element > 3`: the test reads it."""
    for one, other in ((x, y), (y, x)):
        known = elements_of(one)
        made = known.made if known is not None else ""
        if (
            isinstance(made, tuple)
            and made[0] == _ELEMENT
            and isinstance(other.only, (Constant, Number))
        ):
            return with_elements(out, Elements(made=made))
    return out


def note_element(machine: Machine, values: Iterable[Value], span: Span, what: str) -> None:
    """Notes a read of an element of an array, in each iteration of a loop that goes through it."""
    for value in values:
        known = elements_of(value)
        made = known.made if known is not None else ""
        loops = value.marks & machine.current
        if isinstance(made, tuple) and made[0] == _ELEMENT and loops - machine.short:
            origins = () if made[1] is None else (made[1],)
            note(machine, _ELEMENT, what, span, (value,), origins)


def note_entry(machine: Machine, values: Iterable[Value], span: Span, what: str) -> None:
    """Notes a read of one array of many, in each iteration of a loop through all of them."""
    if not machine.loops or what not in _COPIES:
        return
    loop, steady = machine.loops[-1]
    if (
        not steady
        or loop in machine.short
        or loop[1:] not in entry_loops(machine.activation.function)
    ):
        return
    for value in values:
        array = value.only
        if isinstance(array, Array) and array.place == "device" and loop in value.marks:
            note(machine, ENTRY, what, span, (value,), maybe=True)
