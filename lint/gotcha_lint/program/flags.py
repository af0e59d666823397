"""Flags that say whether a model trains, as calls hand them on (floor `program`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Span


@dataclass(frozen=True, slots=True)
class HandedFlag:
    """`dropout(x, inference=train)`: what a call is given by name.

    `inverted`: the flag has the opposite sense of the name that it is given for; else it is a
    literal, where the function has a parameter of that name.
    """

    function: Function
    name: str
    given: str
    span: Span
    inverted: bool


Modes = Mapping[str, bool]  # what each flag says while a model trains


def handed_flags(module: Module, modes: Modes) -> Iterator[HandedFlag]:
    """Those of a module that look wrong."""
    for function in module.functions:
        steps = list(steps_of(function))
        calls = (step for step in steps if step[0] == "call")
        if any(name in modes for call in calls for name, _ in call[4]):
            yield from _of_function(function, steps, modes)


def _of_function(
    function: Function, steps: Sequence[Instruction], modes: Modes
) -> Iterator[HandedFlag]:
    made = {step[1]: step for step in steps if isinstance(step[1], int)}
    own = {parameter.name for parameter in function.parameters}
    stored = {name for step in steps if (name := _stored(step))}
    always = {step[1] for step in function.body if step[0] == "call"}  # not in a branch
    for step in steps:
        for name, register in step[4] if step[0] == "call" else ():
            given = made.get(register) if name in modes else None
            if given is None:
                continue
            if given[0] == "const":
                fixed = given[2] is modes[name] and name in own - stored and step[1] in always
                if fixed and not _makes_weights(made.get(step[2])):
                    yield HandedFlag(function, name, repr(given[2]), step[-1], False)
            elif given[0] in ("load", "attr"):
                source = given[2] if given[0] == "load" else given[3]
                if modes.get(source) is (not modes[name]) and source not in stored:
                    yield HandedFlag(function, name, source, step[-1], True)


def _stored(step: Instruction) -> str:
    """The name that is given another value."""
    place = {"store": 2, "setattr": 3}.get(step[0])
    return str(step[place]) if place is not None else ""


def _makes_weights(callee: Instruction | None) -> bool:
    """`init` needs the shapes alone."""
    return callee is not None and callee[0] == "attr" and "init" in callee[3]
