"""What is wrong with a definition as it is written: defaults of fields and parameters."""

from __future__ import annotations

from gotcha_lint.interpret.faults.remarks import note
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.mutable_defaults import mutable_defaults
from gotcha_lint.patterns.type_defaults import type_defaults
from gotcha_lint.program.ir import Function
from gotcha_lint.program.links import Links

MUTABLE_DEFAULT, TYPE_DEFAULT = "mutable default", "type as default"


def check_defined(machine: Machine, links: Links, function: Function) -> None:
    """The fields of a class, and the functions that a body defines."""
    for each in mutable_defaults(links, function):
        note(machine, MUTABLE_DEFAULT, function, each.span, each.field, each.what)
    for one in type_defaults(links, function):
        note(machine, TYPE_DEFAULT, function, one.span, one.kind, one.name, one.owner)
