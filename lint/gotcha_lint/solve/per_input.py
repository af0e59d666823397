"""Functions that compile for each input: data in, data out, and a jit that is made on the way."""

from __future__ import annotations

from gotcha_lint.domain.sites import Frame
from gotcha_lint.domain.value import Atom, Method, Object, Value
from gotcha_lint.interpret.events import CompiledCall
from gotcha_lint.interpret.heap import is_module_class
from gotcha_lint.program.data_flow import (
    given_by_caller,
    has_loop,
    is_kept,
    maps_data,
    names_used,
    operands_of_call,
)
from gotcha_lint.program.ir import Function
from gotcha_lint.solve.captured import is_data

_ONCE = ("init", "setup", "main", "reset", "build", "make", "create", "load", "restore")


def is_called_for_each_input(call: CompiledCall) -> bool:
    """Data in, data out: its user calls the function for each input that there is.

    Not so a function that has a loop of its own, as a run of a training has, and what makes the
    first state of something: it is called at the start.
    """
    within, compiled = call.within, call.function
    if within.is_module or (within.name.startswith("__") and within.name != "__call__"):
        return False
    starts = [within.name, *(names_used(compiled) if compiled is not None else ())]
    if any(word in name.lower().split("_") for name in starts for word in _ONCE):
        return False
    if not all(_is_made_by(atom, within) for atom in call.site.info["inner"].atoms):
        return False
    if is_kept(within, call.site.span):
        return False
    given = given_by_caller(within)
    own = {
        place[1]
        for place, value in call.captured
        if _is_of(place[0], within) and not is_data(call, place, value)
    }
    chosen = operands_of_call(within, call.site.span)
    if given & (own | chosen):  # another program for another configuration
        return False
    return not has_loop(within) and maps_data(within, call.site.span, call.span)


def _is_of(base: object, function: Function) -> bool:
    return isinstance(base, Frame) and base.function is function


def _is_made_by(atom: Atom, function: Function) -> bool:
    """What is compiled is made by this very function, or by what it calls, of known code."""
    if isinstance(atom, Method):
        return all(_has_own_methods(part, function) for part in atom.receiver.atoms)
    if not isinstance(atom, Object):
        return False
    if not _is_of(atom.site.info.get("frame"), function) and not _is_by_callee(atom, function):
        return False
    inner: Value | None = atom.site.info.get("inner")
    return inner is None or (
        not inner.unknown and all(isinstance(part, (Object, Method)) for part in inner.atoms)
    )


def _is_by_callee(atom: Object, function: Function) -> bool:
    """What it calls by name makes it, and no decorator keeps it from one call to the next."""
    frame = atom.site.info.get("frame")
    if not isinstance(frame, Frame) or frame.function.is_module:
        return False
    maker = frame.function
    return maker.first in (0, maker.line) and maker.name in names_used(function)


def _has_own_methods(atom: Atom, function: Function) -> bool:
    """An object whose methods are equal only for the object itself.

    While an equal method is alive its program is found, so an object that comes from elsewhere has
    to be the receiver.
    """
    if not isinstance(atom, Object):
        return False
    cls = atom.site.info.get("class")
    if cls is not None and is_module_class(cls):
        return False  # its methods are equal where its leaves are
    if _is_of(atom.site.info.get("frame"), function):
        return True
    parent = function.parent
    return cls is not None and cls.info.get("function") is parent
