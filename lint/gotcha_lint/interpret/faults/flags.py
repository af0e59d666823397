"""A flag that a function takes and does not read, while it calls a module in training mode."""

from __future__ import annotations

from collections.abc import Mapping

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import UNKNOWN, Constant, Value
from gotcha_lint.facts.flags import TRAIN
from gotcha_lint.facts.random import SHAPE_ONLY
from gotcha_lint.interpret.effects import note
from gotcha_lint.interpret.events import Effect
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.data_flow import reads_name, steps_of
from gotcha_lint.program.ir import Function, Register

IGNORED_FLAG = "ignored flag"


def check_flags(
    machine: Machine, callee: Register, keywords: Mapping[str, Value], span: Span
) -> None:
    """`apply(variables, x, train=True)` in a function with a parameter `train` of its own.

    `init` needs the shapes alone.
    """
    if TRAIN.keys().isdisjoint(keywords):
        return
    if not any(_is(value, TRAIN.get(name)) for name, value in keywords.items()):
        return
    function = machine.activation.function
    for parameter in function.parameters:
        name = parameter.name
        if (
            name in TRAIN
            and not reads_name(function.body, name)
            and not _initialises(function, callee)
        ):
            given = machine.peek((machine.activation.frame, name))
            note(machine, IGNORED_FLAG, name, span, (UNKNOWN if given is None else given,))


def _initialises(function: Function, callee: Register) -> bool:
    names = (i[3] for i in steps_of(function) if i[0] == "attr" and i[1] == callee)
    return any(name in SHAPE_ONLY or "init" in name for name in names)


def disagrees(effect: Effect) -> bool | None:
    """Does the caller ask for evaluation? None where it is known not to."""
    (given,) = effect.values
    trains = TRAIN[effect.what]
    if _is(given, trains):
        return None
    return _is(given, not trains)


def _is(value: Value, flag: bool | None) -> bool:
    atom = value.only
    return flag is not None and isinstance(atom, Constant) and atom.value is flag
