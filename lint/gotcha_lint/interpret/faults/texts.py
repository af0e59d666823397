"""Texts that show traced values: what runs while JAX traces shows a tracer, once.

A text that shows a tracer is marked as one is, so it is known wherever it is printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.tracers import TRACED, TRACERS, holds_tracers
from gotcha_lint.domain.value import Constant, Marks, Number, Tuple, Value
from gotcha_lint.facts.host import SHOWING
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.faults.traced import callee_at, is_sure
from gotcha_lint.interpret.heap import contents, deep_marks, mapping_of
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.data_flow import steps_of

SHOWN, FORMATTED = "shown", "formatted"
_DEPTH = 3  # of containers
_FIELD = re.compile(r"\{[^{}]*\}")
_PERCENT = re.compile(r"%%|%[^a-zA-Z%]*[a-zA-Z]")
_NUMBERS = frozenset("defgiouxXEFG")


def marks_of_text(machine: Machine, values: Iterable[Value]) -> Marks:
    """What a text varies with that shows these values."""
    values = tuple(values)
    marks = deep_marks(machine, values)
    if TRACED not in marks or any(shows_tracer(machine, value) for value in values):
        return marks
    return marks - TRACERS


def shows_tracer(machine: Machine, value: Value, depth: int = 0) -> bool:
    """A tracer, a text that shows one, or a container of such."""
    atom = value.only
    if holds_tracers(value):
        return True
    if isinstance(atom, (Constant, Number)):
        return atom.type == "str" and TRACED in value.marks
    if atom is None or depth > _DEPTH:
        return False
    content, mapping = contents(machine, value), mapping_of(machine, atom)
    items = content.items if isinstance(content, Tuple) else ()
    items = (*items, *(mapping.values if mapping is not None else ()))
    return any(shows_tracer(machine, item, depth + 1) for item in items)


def check_shown(
    machine: Machine,
    name: str,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    span: Span,
) -> None:
    """`print(x)`, `logging.info("%s", x)`; not a note of the call, `"step(x=%s)"` in `step`."""
    if name not in SHOWING:
        return
    first = args[0].constant if args else None
    notes_call = isinstance(first, str) and first.startswith(f"{machine.activation.function.name}(")
    shown = any(shows_tracer(machine, value) for value in (*args, *keywords.values()))
    if shown and not notes_call and is_sure(machine, span):
        remark(machine, SHOWN, span, *callee_at(machine, span))


def check_format(machine: Machine, value: Value, span: Span, how: str = "") -> None:
    """`f"{x:.3f}"`, `format(x, ".3f")`: a `TypeError`. `span`: of the value, or of the call."""
    if holds_tracers(value) and is_sure(machine, span) and not _is_raised(machine, span):
        remark(machine, FORMATTED, span, how)


def check_percent(machine: Machine, text: Value, values: Value, span: Span) -> None:
    """`"%d" % x`."""
    known = text.constant
    kinds = [found[-1] for found in _PERCENT.findall(known)] if isinstance(known, str) else []
    if kinds and _NUMBERS.issuperset(kinds) and shows_tracer(machine, values):
        _note(machine, span)


def check_fields(machine: Machine, text: Value, values: Iterable[Value], span: Span) -> None:
    """`"{:.3f}".format(x)`: with fields of other kinds it is not plain which of them is traced."""
    known = text.constant
    fields = _FIELD.findall(known) if isinstance(known, str) else []
    if fields and all(":" in each for each in fields) and any(map(holds_tracers, values)):
        _note(machine, span)


def _note(machine: Machine, span: Span) -> None:
    if is_sure(machine, span):
        remark(machine, FORMATTED, span, "")


def _is_raised(machine: Machine, span: Span) -> bool:
    """Is it a part of the message of an exception?"""
    return any(
        i[0] in ("raise", "assert") and i[-1][:2] <= span[:2] and span[2:] <= i[-1][2:]
        for i in steps_of(machine.activation.function)
    )
