"""Arrays of the host that a loop puts on the device one by one, and that are joined there.

Each transfer costs as much as one of the whole. What a transfer gives is marked in what is known of
its `elements`, which operations forget; a join of many that are marked so is a fault.
"""

from __future__ import annotations

from dataclasses import replace

from gotcha_lint.domain.value import Array, Elements, Marks, Sequence, Symbol, Value
from gotcha_lint.facts.pipelines import JOINS, TRANSFERS
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.elements import elements_of, with_elements
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.data_flow import acts_on_world

_PUT = "put"


def put_on_device(call: Call, out: Value) -> Value:
    """The result of a transfer, marked with its place and the loops around it."""
    machine = call.engine
    given = call.args[0] if call.args else None
    atom = None if given is None else given.only
    if machine.traced or given is None or call.name not in TRANSFERS:
        return out
    # Code that reads files or prints handles data: what it is given is no array of a device.
    data = isinstance(atom, Symbol) and acts_on_world(machine.activation.function)
    if not data and not (isinstance(atom, Array) and atom.place == "host"):
        return out
    loops = given.marks & _long_loops(machine)
    known = elements_of(out) or Elements()
    if not loops or (known.made and known.made[0] != "expanded"):
        return out
    return with_elements(out, replace(known, made=(_PUT, call.origin, loops)))


def _long_loops(machine: Machine) -> Marks:
    """The open loops, but for those over a few things that are written out."""
    met = machine.activation.loops_met
    return frozenset(loop for loop, _ in machine.loops if not met.of(loop).listed)


def check_join(call: Call) -> None:
    """`jnp.stack(rows)`, of rows that were put on the device one by one."""
    machine = call.engine
    if machine.traced or call.name not in JOINS or not call.args:
        return
    content = contents(machine, call.args[0])
    known = elements_of(content.element) if isinstance(content, Sequence) else None
    made = known.made if known is not None else ""
    if isinstance(made, tuple) and made[0] == _PUT and made[2] - _long_loops(machine):
        place = (*call.origin, "joined here")
        remark(machine, "one by one", call.span, call.short, places=(place,), at=made[1])
