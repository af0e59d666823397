"""Programs, and keys, that follow the order of a set of strings."""

from __future__ import annotations

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.tracers import holds_tracers
from gotcha_lint.domain.value import UNKNOWN, Array
from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.machine import Instruction, Machine, Registers
from gotcha_lint.patterns.string_sets import KEYS, is_kept_in_order, sets_of
from gotcha_lint.program.data_flow import instructions

SET_ORDER = "order of a set"
OPERATIONS = "the operations"


def check_loop(machine: Machine, loop: Instruction, equations: int, registers: Registers) -> None:
    """A loop that JAX traces: it makes operations, or a list of arrays."""
    if is_test(machine.path):
        return
    span = sets_of(machine.activation.function).gone_through(loop[2])
    if span is not None and (equations or _lists_arrays(machine, loop, registers)):
        _note(machine, span, OPERATIONS)


def check_zip(call: Call) -> None:
    """`zip(names, keys)`: which name gets which key."""
    keys = any(isinstance(a, Array) and a.key is not None for v in call.args for a in v.atoms)
    if keys and not is_test(call.engine.path):
        span = sets_of(call.engine.activation.function).dealt(call.span)
        if span is not None:
            _note(call.engine, span, KEYS)


def _note(machine: Machine, span: Span, what: str) -> None:
    remark(machine, SET_ORDER, span, what)


def _lists_arrays(machine: Machine, loop: Instruction, registers: Registers) -> bool:
    inside = list(instructions(loop[4]))
    held = {i[1]: registers.get(i[1], UNKNOWN) for i in inside if i[0] == "item"}
    arrays = {register for register, value in held.items() if holds_tracers(value)}
    if loop[6]:
        return bool(arrays) and is_kept_in_order(machine.activation.function, loop)
    appends = {i[1] for i in inside if i[0] == "attr" and i[3] == "append"}
    added = (i[3][0][1] for i in inside if i[0] == "call" and i[2] in appends and i[3])
    return any(each in arrays or holds_tracers(registers.get(each, UNKNOWN)) for each in added)
