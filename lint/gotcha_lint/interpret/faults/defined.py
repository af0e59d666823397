"""What is wrong with a definition as it is written: defaults, and types that Flax does not give."""

from __future__ import annotations

from gotcha_lint.interpret.faults.remarks import note
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.flax_types import (
    may_freeze,
    tested_by_equality,
    tested_fields,
    walked_trees,
)
from gotcha_lint.patterns.mutable_defaults import mutable_defaults
from gotcha_lint.patterns.traced_objects import traced_objects
from gotcha_lint.patterns.type_defaults import type_defaults
from gotcha_lint.program.ir import Function
from gotcha_lint.program.links import Links

TRACED_OBJECT = "object that is traced"
VAIN_TEST = "type that Flax does not give"
MUTABLE_DEFAULT, TYPE_DEFAULT = "mutable default", "type as default"


def check_defined(machine: Machine, links: Links, function: Function) -> None:
    """The fields of a class, and the functions that a body defines."""
    for each in mutable_defaults(links, function):
        note(machine, MUTABLE_DEFAULT, function, each.span, each.field, each.what)
    for one in type_defaults(links, function):
        note(machine, TYPE_DEFAULT, function, one.span, one.kind, one.name, one.owner)
    for test in (*tested_fields(links, function), *tested_by_equality(links, function)):
        note(machine, VAIN_TEST, function, test.span, test.kind, test.what, test.asked, test.given)
    for test in walked_trees(links, function):
        maybe = may_freeze(machine.modules[path] for path in machine.visible)
        text = test.kind, test.what, test.asked, test.given
        note(machine, VAIN_TEST, function, test.span, *text, maybe=maybe)
    visible = [machine.modules[path] for path in machine.visible]
    for given in traced_objects(links, function, visible):
        kind = "a linen module" if given.linen else f"an object of `{given.cls}`"
        text = given.function.name, given.parameter, kind
        note(machine, TRACED_OBJECT, given.function, given.span, *text)
