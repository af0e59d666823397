"""Functions that compile for each input: data in, data out, and a jit that is made on the way."""

from __future__ import annotations

from gotcha_lint.domain.sites import Frame
from gotcha_lint.domain.value import Atom, Method, Object, Value
from gotcha_lint.interpret.events import CallString, CompiledCall
from gotcha_lint.interpret.heap import is_module_class
from gotcha_lint.program.data_flow import (
    decorators,
    given_by_caller,
    has_loop,
    is_kept,
    maps_data,
    names_used,
    operands_of_call,
)
from gotcha_lint.program.ir import Function, Span
from gotcha_lint.solve.captured import is_data

_ONCE = ("init", "setup", "main", "reset", "build", "make", "create", "load", "restore")


def is_called_for_each_input(call: CompiledCall, makes: Span, maker: Function) -> bool:
    """Data in, data out: its user calls the function for each input that there is.

    `makes`: where it gets what is compiled, from `jit` or from the `maker` that it calls.

    Not so a function that has a loop of its own, as a run of a training has, and what makes the
    first state of something: it is called at the start.
    """
    within, compiled = call.within, call.function
    if within.is_module or (within.name.startswith("__") and within.name != "__call__"):
        return False
    starts = [within.name, *(names_used(compiled) if compiled is not None else ())]
    if any(word in name.lower().split("_") for name in starts for word in _ONCE):
        return False
    makers = within, maker
    if maker is not within and not is_step(within):
        return False
    if not all(_is_made_by(atom, makers) for atom in call.site.info["inner"].atoms):
        return False
    if is_kept(within, makes):
        return False
    given = given_by_caller(within)
    own = {
        place[1]
        for place, value in call.captured
        if _is_of(place[0], makers) and not is_data(call, place, value)
    }
    chosen = operands_of_call(within, makes)
    if given & (own | chosen):  # another program for another configuration
        return False
    return not has_loop(within) and maps_data(within, makes, call.span)


def is_step(function: Function) -> bool:
    """By its name: one step of a training, which is called as often as there are batches."""
    return not _STEPS.isdisjoint(function.name.lower().split("_"))


_STEPS = frozenset(("step", "update", "learn"))


def comes_from(maker: Function, within: Function, calls: CallString) -> Span | None:
    """The call in `within` that makes something in `maker`, directly, and a new one each time."""
    if not calls or not _makes_anew(maker):
        return None
    path, span = calls[-1]
    inside = path == within.path and within.line <= span[0] <= within.end_line
    return span if inside else None


def _makes_anew(maker: Function) -> bool:
    """No decorator keeps what it makes from one call to the next."""
    return decorators(maker) <= _HARMLESS


_HARMLESS = frozenset(("staticmethod", "classmethod"))


def _is_of(base: object, functions: tuple[Function, ...]) -> bool:
    return isinstance(base, Frame) and base.function in functions


def _is_made_by(atom: Atom, functions: tuple[Function, ...]) -> bool:
    """What is compiled is made by one of these, or by what it calls, of known code."""
    if isinstance(atom, Method):
        return all(_has_own_methods(part, functions) for part in atom.receiver.atoms)
    if not isinstance(atom, Object):
        return False
    own = _is_of(atom.site.info.get("frame"), functions)
    if not own and not _is_by_callee(atom, functions):
        return False
    inner: Value | None = atom.site.info.get("inner")
    return inner is None or (
        not inner.unknown and all(isinstance(part, (Object, Method)) for part in inner.atoms)
    )


def _is_by_callee(atom: Object, functions: tuple[Function, ...]) -> bool:
    """What one of them calls by name makes it."""
    frame = atom.site.info.get("frame")
    if not isinstance(frame, Frame) or frame.function.is_module:
        return False
    maker = frame.function
    return _makes_anew(maker) and any(maker.name in names_used(each) for each in functions)


def _has_own_methods(atom: Atom, functions: tuple[Function, ...]) -> bool:
    """An object whose methods are equal only for the object itself.

    While an equal method is alive its program is found, so an object that comes from elsewhere has
    to be the receiver.
    """
    if not isinstance(atom, Object):
        return False
    cls = atom.site.info.get("class")
    if cls is not None and is_module_class(cls):
        return False  # its methods are equal where its leaves are
    if _is_of(atom.site.info.get("frame"), functions):
        return True
    parent = functions[0].parent
    return cls is not None and cls.info.get("function") is parent
