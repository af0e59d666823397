"""`x[i] = v` of an array of JAX."""

from __future__ import annotations

from gotcha_lint.domain.value import Array, Symbol, Value
from gotcha_lint.interpret.faults.remarks import IN_PLACE, remark
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.start.importable import Modules
from gotcha_lint.patterns.local.assigned_arrays import assigned, is_reference
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction
from gotcha_lint.program.links import Links
from gotcha_lint.program.reader import SureReader


def check_assigned(machine: Machine, setitem: Instruction, base: Value, key: Value) -> None:
    """Notes it, with what holds the array, and the name that the result may be bound to."""
    if machine.trying or isinstance(key.constant, str):  # of a dict
        return
    atom, function = base.only, machine.activation.function
    if isinstance(atom, Array):
        if atom.place != "device":
            return
    elif (
        not (atom is None or isinstance(atom, Symbol))
        or not machine.traced
        or not _is_computed(SureReader(function), setitem)
    ):
        return
    makers = {i[1]: i for i in steps_of(function)}
    if not (is_reference(makers, setitem[2]) or _is_of_either(machine, function, setitem)):
        found = assigned(function, makers, setitem)
        remark(machine, IN_PLACE, found.span, found.owner, found.name)


def _is_of_either(machine: Machine, function: Function, setitem: Instruction) -> bool:
    """By a module whose name is that of another one, too: which it is depends on the time."""
    reader = SureReader(function)
    made = reader.made(setitem[2])
    while made is not None and made[0] in ("call", "attr"):
        made = reader.makers.get(made[2])
    if made is None or made[0] != "load" or made[3] >= 0:
        return False
    links = Links(Modules(machine), machine.texts)
    top = machine.modules[function.path].top
    stored = (links.makers(top).get(one) for one in links.stores(top).get(made[2], ()))
    return len({i[2:5] for i in stored if i is not None and i[0] == "import"}) > 1


def _is_computed(reader: SureReader, setitem: Instruction) -> bool:
    """By arithmetic on what JAX traces."""
    made = reader.made(setitem[2])
    if made is None or made[0] not in ("binop", "augment"):
        return False
    given = {parameter.name for parameter in reader.function.parameters}
    operands = (reader.makers.get(one) for one in made[3:5])
    return any(one is not None and one[0] == "load" and one[2] in given for one in operands)
