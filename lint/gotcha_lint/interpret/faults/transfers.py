"""Arrays of the host that a loop puts on the device one by one, and that are joined there.

Each transfer costs as much as one of the whole. What a transfer gives is marked in what is known of
its `elements`, which most operations forget; a join of many that are marked so is a fault. So is a
`jnp.stack` of many arrays of the host: it transfers each (`jnp.asarray` of the list joins them on
the host).
"""

from __future__ import annotations

from dataclasses import replace

from gotcha_lint.domain.value import Array, Elements, Marks, Sequence, Symbol, Tuple, Value
from gotcha_lint.facts.pipelines import JOINS, STACKS, TRANSFERS
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.elements import elements_of, with_elements
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.data_flow import acts_on_world
from gotcha_lint.program.ir import Function

_PUT = "put"
_RESHAPES = frozenset(("pad", "astype", "reshape", "expand_dims", "squeeze", "ravel"))
_FEW = 8  # parts that a loop collects


def put_on_device(call: Call, out: Value) -> Value:
    """The result of a transfer, marked with its place and the loops around it."""
    machine = call.engine
    given = call.args[0] if call.args else None
    atom = None if given is None else given.only
    if machine.traced or given is None or call.name not in TRANSFERS:
        return out
    function = machine.activation.function
    # Code that reads files or prints handles data: what it is given is no array of a device.
    data = isinstance(atom, Symbol) and (acts_on_world(function) or _collates(function))
    examples = given.unknown and not given.atoms and _collates(function)
    if not (data or examples or (isinstance(atom, Array) and atom.place == "host")):
        return out
    loops = _long_loops(machine) & (given.marks or _long_loops(machine))
    known = elements_of(out) or Elements()
    if not loops or (known.made and known.made[0] != "expanded"):
        return out
    return with_elements(out, replace(known, made=(_PUT, call.origin, loops)))


def _long_loops(machine: Machine) -> Marks:
    """The open loops, but for those over a few things that are written out."""
    met = machine.activation.loops_met
    return frozenset(loop for loop, _ in machine.loops if not met.of(loop).listed)


def _collates(function: Function) -> bool:
    """Does it make a batch of the examples of a loader, as its name says?"""
    return "collate" in function.name.lower()


def reshaped(call: Call, given: Value, out: Value) -> Value:
    """What was put on the device stays so under operations that change its form."""
    known = elements_of(given) if call.short in _RESHAPES else None
    if known is None or not (isinstance(known.made, tuple) and known.made[0] == _PUT):
        return out
    return with_elements(out, replace(elements_of(out) or Elements(), made=known.made))


def check_join(call: Call) -> None:
    """`jnp.stack(rows)`, of rows that were put on the device one by one, or that are not there."""
    machine = call.engine
    if machine.traced or call.name not in JOINS or not call.args:
        return
    content = contents(machine, call.args[0])
    if call.name in STACKS and isinstance(content, Sequence) and _are_of_host(content):
        remark(machine, "one by one", call.span, call.short, "")
        return
    rows = content.element if isinstance(content, Sequence) else call.args[0]
    if call.name in STACKS and not isinstance(content, Tuple) and _are_examples(machine, rows):
        remark(machine, "one by one", call.span, call.short, "", maybe=True)
        return
    known = elements_of(content.element) if isinstance(content, Sequence) else None
    made = known.made if known is not None else ""
    if isinstance(made, tuple) and made[0] == _PUT and made[2] - _long_loops(machine):
        place = (*call.origin, "joined here")
        remark(machine, "one by one", call.span, call.short, places=(place,), at=made[1])


def _are_examples(machine: Machine, rows: Value) -> bool:
    """A column of a batch in a collate function: of numpy's arrays, mostly."""
    symbol = rows.only
    unknown = isinstance(symbol, Symbol) or (rows.unknown and not rows.atoms)
    return unknown and _collates(machine.activation.function)


def _are_of_host(content: Sequence) -> bool:
    """Are these many arrays of numpy, and nothing else?"""
    each = content.element
    of_host = all(isinstance(atom, Array) and atom.place == "host" for atom in each.atoms)
    return of_host and bool(each.atoms) and not each.unknown and content.size.high > _FEW
