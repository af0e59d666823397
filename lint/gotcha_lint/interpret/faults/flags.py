"""Flags that choose between training and evaluation: not read, or traced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.value import UNKNOWN, Constant, Object, Value, constant
from gotcha_lint.facts.flags import FLAGS, TRAIN
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.random import SHAPE_ONLY
from gotcha_lint.interpret.effects import note
from gotcha_lint.interpret.events import Effect
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.start.importable import Modules
from gotcha_lint.patterns.flag_uses import flag_use
from gotcha_lint.program.data_flow import reads_name, steps_of
from gotcha_lint.program.ir import Function, Register
from gotcha_lint.program.links import Links

IGNORED_FLAG, TRACED_FLAG = "ignored flag", "traced flag"
KEPT_ON = "kept on"  # a layer trains, whatever the flag says


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


def check_left_out(
    machine: Machine, called: Value, count: int, keywords: Mapping[str, Value], span: Span
) -> None:
    """`apply(variables, x)` in a function with a parameter `train`, which it does not read.

    `count`: of the positional arguments, `self` included. The module has a flag of its own, which
    is left at its default.
    """
    function = machine.activation.function
    unread = [
        p.name
        for p in function.parameters
        if p.name in TRAIN and not reads_name(function.body, p.name)
    ]
    atom = called.only
    if not unread or not isinstance(atom, Object) or atom.site.kind != "function":
        return
    by_position = [p.name for p in atom.site.info["function"].parameters if p.kind == "pos"]
    for flag, default in atom.site.info["defaults"].items():
        trains = TRAIN.get(flag)
        if trains is None or flag in keywords or flag in by_position[:count]:
            continue
        if isinstance(default.constant, bool):
            for name in unread:
                given = machine.peek((machine.activation.frame, name))
                mode = constant(default.constant is trains)
                note(machine, IGNORED_FLAG, name, span, (given or UNKNOWN, mode))


def check_kept_on(machine: Machine, span: Span) -> None:
    """`nn.Dropout(0.1, deterministic=False)(x)` in a function that is given `train=False`.

    Not under a test of the function itself: the flag may decide it.
    """
    function = machine.activation.function
    tests = {(guard.path, guard.span) for guard in machine.guards}
    if any(i[0] == "if" and (function.path, i[-1]) in tests for i in steps_of(function)):
        return
    for parameter in function.parameters:
        given = machine.peek((machine.activation.frame, parameter.name))
        if parameter.name in TRAIN and given is not None:
            note(machine, KEPT_ON, parameter.name, span, (given,))


def check_traced_flags(
    machine: Machine, function: Function, traced: Iterable[str], jit: Origin
) -> None:
    """`forward(x, train=False)` of a jitted function: the flag is an array there."""
    if machine.trying or is_test(function.path):
        return
    for name in sorted(FLAGS.intersection(traced)):
        use = flag_use(Links(Modules(machine), machine.texts), function, name)
        span = next((one.span for one in function.parameters if one.name == name), None)
        if use is not None and span is not None:
            how = (*jit, f"jit of {function.name}")
            places = (how, (function.path, use, "its truth value is needed here"))
            remark(machine, TRACED_FLAG, span, name, places=places, at=(function.path, span))


def _initialises(function: Function, callee: Register) -> bool:
    names = (i[3] for i in steps_of(function) if i[0] == "attr" and i[1] == callee)
    return any(name in SHAPE_ONLY or "init" in name for name in names)


def disagrees(effect: Effect) -> bool | None:
    """Does the caller ask for the other mode? None where it is known not to."""
    given = effect.values[0]
    wanted = TRAIN[effect.what] is runs_in_training(effect)
    if _is(given, wanted):
        return None
    return _is(given, not wanted)


def runs_in_training(effect: Effect) -> bool:
    """The mode of the module, whatever the flag says."""
    return len(effect.values) == 1 or effect.values[1].constant is True


def _is(value: Value, flag: bool | None) -> bool:
    atom = value.only
    return flag is not None and isinstance(atom, Constant) and atom.value is flag
