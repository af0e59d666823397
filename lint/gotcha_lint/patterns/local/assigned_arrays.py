"""`x[i] = v` where `x` is an array of JAX (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.patterns.local.arrays import is_array
from gotcha_lint.patterns.local.rebound_names import rebindable
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import Makers, dotted, spelled


@dataclass(frozen=True)
class Assigned:
    """`owner`: what holds the array, as it is written; `name`: what a new one may be bound to."""

    span: Span
    owner: str
    name: str


def assigned_arrays(origins: Origins, function: Function) -> Iterator[Assigned]:
    """Those of one function, in which nothing waits for the error."""
    makers = origins.links.makers(function)
    for i in steps_of(function):
        if i[0] != "setitem" or _may_be_another(makers, i):
            continue
        if _is_annotated(origins, function, i[2]) or not is_array(origins, function, i[2]):
            continue
        if not origins.is_attempted(function, i):
            yield assigned(function, makers, i)


def assigned(function: Function, makers: Makers, setitem: Instruction) -> Assigned:
    name = rebindable(function, makers, setitem[2])
    return Assigned(setitem[-1], spelled(makers, setitem[2]), name)


def is_reference(makers: Makers, register: Register) -> bool:
    """`o_ref`, which a kernel writes to."""
    return dotted(makers, register).lower().endswith(("ref", "refs"))


def _may_be_another(makers: Makers, setitem: Instruction) -> bool:
    """A reference, or a dict."""
    key = makers.get(setitem[3])
    is_text = key is not None and (
        key[0] == "fstr" or (isinstance(key[2], str) and key[0] == "const")
    )
    return is_text or is_reference(makers, setitem[2])


def _is_annotated(origins: Origins, function: Function, register: Register) -> bool:
    """A parameter known by its annotation alone may be an array of numpy."""
    made = origins.reader(function).made(register)
    return made is not None and made[0] == "load"
