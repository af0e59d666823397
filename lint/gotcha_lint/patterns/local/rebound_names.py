"""Names that may be bound to the result of a functional update (floor `patterns`)."""

from __future__ import annotations

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Register
from gotcha_lint.program.spelled import Makers, dotted


def rebindable(function: Function, makers: Makers, register: Register) -> str:
    """The name or attribute that may be assigned here; empty where it may not.

    A name of an outer function would become a new local one, a global one needs `global`. A
    parameter of a function that gives nothing back was to change for the caller.
    """
    name, made = dotted(makers, register), makers.get(register)
    if not name or "." in name or made is None:
        return name
    if made[3] != (-1 if function.is_module else 0) or name in function.globals:
        return ""
    is_given = any(parameter.name == name for parameter in function.parameters)
    gives = any(i[0] == "return" and i[2] is not None for i in steps_of(function))
    return name if gives or not is_given else ""
