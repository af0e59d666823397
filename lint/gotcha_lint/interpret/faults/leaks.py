"""Tracers that are kept where they outlive their trace.

At the end of the outermost trace: what was written to a place that was there before, and holds a
tracer still. So what is put back, or stays in what the trace has made, is no leak.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gotcha_lint.domain.sites import Frame, Origin, Site, Span
from gotcha_lint.domain.tracers import TRACED
from gotcha_lint.domain.value import Array, Object, Sequence, Symbol, Tuple, Value
from gotcha_lint.interpret.arguments import is_plain
from gotcha_lint.interpret.faults.remarks import note_asked, remark
from gotcha_lint.interpret.faults.traced import expects_tracers
from gotcha_lint.interpret.heap import contents_of, mapping_of
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.state import Activation
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function

CACHED = "cached"
LEAKED, INTO_ARGUMENT = "leaked", "into an argument"
_HELD = ("list", "dict", "set")
_DEPTH = 2  # of containers in containers


def check_leaks(machine: Machine, inside: Activation, own: set[Site]) -> None:
    """`inside`: the trace that has ended; `own`: what can be reached from its arguments."""
    if machine.traced or machine.lenient:
        return
    for location in sorted(inside.writes & machine.cached_at.keys(), key=repr):
        base, value = location[0], machine.peek(location)
        if base not in own and base not in inside.made and value is not None:
            cls = base.info.get("class") if isinstance(base, Site) else None
            if cls is not None and _holds(machine, value) and is_plain(machine, cls):
                note_cached(machine, machine.cached_at[location], value)
    for location in sorted(inside.writes & machine.written_at.keys(), key=repr):
        base, value = location[0], machine.peek(location)
        if base in own or not _outlives(base, inside) or value is None:
            continue
        if not _holds(machine, value):
            continue
        for function, (path, span) in machine.written_at[location].items():
            if function in inside.functions and not expects_tracers(function, span):
                remark(machine, LEAKED, span, *map(str, _holder(function, span)), at=(path, span))


def note_cached(machine: Machine, cache: Site, value: Value) -> None:
    """A cache keeps a tracer for the traces that follow."""
    function = _memoised(cache)
    made = next((a.origin for a in value.atoms if isinstance(a, Array) and a.origin), None)
    places = () if made is None else ((*made, "an array that is made in the trace"),)
    name = "" if function is None else function.name
    remark(machine, CACHED, cache.span, name, places=places, at=cache.origin)


def _memoised(cache: Site) -> Function | None:
    atom = cache.info["inner"].only
    is_function = isinstance(atom, Object) and atom.site.kind == "function"
    return atom.site.info["function"] if is_function else None


def check_cached(machine: Machine, cache: Site, value: Value, span: Span) -> None:
    """A memoised function of a module has been called."""
    function = _memoised(cache)
    if function is None or function.parent is None or not function.parent.is_module:
        return  # a cache within a traced function dies with the trace
    if machine.activation is not machine.top:
        note_asked(machine, cache, span)
    if machine.traced and not machine.lenient and _holds(machine, value):
        note_cached(machine, cache, value)


def _outlives(base: Any, inside: Activation) -> bool:
    if isinstance(base, str):
        return True
    if isinstance(base, Frame):
        return base.function not in inside.functions
    if not isinstance(base, Site) or base in inside.made or base.info.get("of each object"):
        return False
    cls = base.info.get("class")
    if base.kind != "instance" or cls is None:
        return base.kind in _HELD
    return not (cls.info["library"] or cls.info["decorators"])


def _holds(machine: Machine, value: Value, depth: int = 0) -> bool:
    """A tracer, or a container of one, among what it may be."""
    for atom in value.atoms:
        if isinstance(atom, (Array, Symbol)):
            if TRACED in value.marks and getattr(atom, "place", "device") == "device":
                return True
        elif depth <= _DEPTH and not (isinstance(atom, Object) and atom.site.kind == "instance"):
            content, mapping = contents_of(machine, atom), mapping_of(machine, atom)
            parts = content.items if isinstance(content, Tuple) else ()
            parts = (*parts, *((content.element,) if isinstance(content, Sequence) else ()))
            parts = (*parts, *(mapping.values if mapping is not None else ()))
            if any(_holds(machine, part, depth + 1) for part in parts):
                return True
    return False


def _holder(function: Function, span: Span) -> Span:
    """The place as it is written: `history` of `history.append(x)`."""
    made = {i[1]: i for i in steps_of(function)}
    for i in steps_of(function):
        if i[0] == "call" and i[-1] == span and made.get(i[2], ("",))[0] == "attr":
            held = made.get(made[i[2]][2])
            return span if held is None else held[-1]
    return span


def check_gradient_store(machine: Machine, function: Function | None, position: int) -> None:
    """`params["w"] = w` in a loss that is differentiated by `w`: the caller's dict keeps a tracer.

    A gradient hands on what it is not taken of as it is.
    """
    names = [] if function is None else [p.name for p in function.parameters if p.kind == "pos"]
    if function is None or not names or position >= len(names):
        return
    bound = {i[2] for i in steps_of(function) if i[0] == "store"}
    by, others = names[position], {*names[:position], *names[position + 1 :]} - bound
    for at in _stores(function, by, others) if by not in bound else ():
        remark(machine, INTO_ARGUMENT, at[1], *map(str, at[1]), at=at)


def _stores(function: Function, by: str, others: set[str]) -> Iterator[Origin]:
    loads = {i[1]: i[2] for i in steps_of(function) if i[0] == "load"}
    for i in steps_of(function):
        if i[0] == "setitem" and loads.get(i[4]) == by and loads.get(i[2]) in others:
            yield function.path, i[-1]
