"""Divisors that are zero, and `None` that is used as an object: what the path alone proves."""

from __future__ import annotations

from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.value import Constant, Value
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.data_flow import instructions, names_used

_DIVIDING = frozenset(("Div", "FloorDiv", "Mod"))
_CHOOSING = frozenset(("where", "select", "cond", "switch", "nan_to_num", "isfinite"))
_OF_NONE = frozenset(dir(None))


def check_divisor(machine: Machine, operator: str, by: Value, span: Span) -> None:
    """`total / count` where `count` is zero on this path; a zero that is written there is meant."""
    zeros = (a for a in by.atoms if isinstance(a, Constant) and type(a.value) in (int, float))
    zero = next((a for a in zeros if a.value == 0), None)
    if operator not in _DIVIDING or machine.trying or zero is None or zero.origin is None:
        return
    if not _is_literal(machine, zero.origin, span):
        maybe = bool(machine.guards) or not _is_own(machine, zero.origin) or _is_chosen(machine)
        places = ((*zero.origin, "zero here"),)
        maybe = maybe or by.only is None  # a default that others may replace
        remark(machine, "division", span, "zero", places=places, maybe=maybe)


def check_none(machine: Machine, value: Value, name: str, span: Span) -> None:
    """`x = None`, and then `x.shape`, in one function."""
    atom = value.only
    if not value.is_none or not isinstance(atom, Constant) or name in _OF_NONE:
        return
    if machine.trying or machine.guards or machine.maybe or atom.origin is None:
        return
    function = machine.activation.function
    if _is_own(machine, atom.origin) and (
        function.is_module or atom.origin[1][0] > _last_header_line(machine)
    ):
        remark(machine, "none", span, name, places=((*atom.origin, "`None` here"),))


def _last_header_line(machine: Machine) -> int:
    """The body begins behind it: defaults of parameters stand before."""
    body = machine.activation.function.body
    first = min((i[-1][0] for i in body), default=0)
    return max(machine.activation.function.line, first - 1)


def _is_own(machine: Machine, origin: Origin) -> bool:
    """Does it come from the function that runs, or a default of its parameters?"""
    function = machine.activation.function
    path, span = origin
    inside = function.is_module or function.line <= span[0] <= function.end_line
    return path == function.path and inside


def _is_chosen(machine: Machine) -> bool:
    """Does the function choose between arrays? What is not taken may be infinite."""
    return not _CHOOSING.isdisjoint(names_used(machine.activation.function))


def _is_literal(machine: Machine, origin: Origin, span: Span) -> bool:
    """Is it written out in the same expression?"""
    path, at = origin
    if path != machine.path or not (span[:2] <= at[:2] and at[2:] <= span[2:]):
        return False
    code = instructions(machine.activation.function.body)
    return any(i[0] == "const" and i[-1] == at for i in code)
