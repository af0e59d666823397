"""What a trace captures: the arrays in a value, their bytes, and whether a write changes them."""

from __future__ import annotations

from collections.abc import Iterable

from gotcha_lint.domain.sites import Frame, Origin, Site
from gotcha_lint.domain.value import (
    Array,
    Atom,
    Constant,
    Mapping,
    Marks,
    Number,
    Object,
    Sequence,
    Symbol,
    Tuple,
    Value,
)
from gotcha_lint.facts.concrete import SIZES
from gotcha_lint.interpret.events import CallString, CompiledCall, Effect, Location
from gotcha_lint.interpret.heap import ENTRIES, ITEMS
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.data_use import is_used_as_data
from gotcha_lint.program.operand_use import is_only_operand

_SIZES = {name.rpartition(".")[2]: where for name, (where, _) in SIZES.items()}


def changes(before: Value, after: Value) -> bool:
    """Does a write change what the trace has read? Arrays have no value here: one is a change."""
    if before == after:
        return (
            bool(after.marks)
            or any(isinstance(atom, (Array, Number)) for atom in after.atoms)
            or (after.unknown and not after.atoms)
        )
    still = ("function", "class", "module", "transform")
    kept = all(isinstance(a, Object) and a.site.kind in still for a in after.atoms)
    return after.unknown or not kept


def is_data(call: CompiledCall, place: Location, value: Value) -> bool:
    """Does the trace take it for arrays (must)? A whole number may choose a program."""
    if _is_of_arrays(call, value):
        return True
    base, name = place
    if not isinstance(base, (Frame, str)) or not all(map(_may_be_data, value.atoms)):
        return False
    owner = base.function if isinstance(base, Frame) else None
    return is_used_as_data(owner, name, call.traced, _SIZES)


def static_is_operand(call: CompiledCall, name: str) -> bool:
    """Does the trace only compute with this static parameter, so that it need not be static?"""
    function = call.function
    if function is None or all(name != parameter.name for parameter in function.parameters):
        return False
    return is_only_operand(function, name, call.traced, _SIZES)


def _is_of_arrays(call: CompiledCall, value: Value) -> bool:
    """Arrays, containers of arrays, objects of which the trace reads arrays alone."""
    if value.unknown or not value.atoms:
        return False
    for atom in value.atoms:
        if isinstance(atom, Array):
            continue
        parts = _parts(call, atom)
        if not parts or not all(_is_of_arrays(call, part) for part in parts):
            return False
    return True


def _parts(call: CompiledCall, atom: Atom) -> tuple[Value, ...]:
    """What a container holds; of an object, what the trace reads of it."""
    match atom:
        case Tuple():
            return atom.items
        case Mapping():
            return (*atom.values, *((atom.rest,) if atom.rest else ()))
        case Sequence():
            return (atom.element,)
        case Object() if atom.site.kind in ("instance", "dict", "list"):
            return tuple(read for place, read in call.captured if place[0] is atom.site)
        case _:
            return ()


def marks_within(call: CompiledCall, value: Value, depth: int = 0) -> Marks:
    """What a captured value varies with, or anything that it holds."""
    marks = value.marks
    for atom in value.atoms if depth < 4 else ():
        for part in _parts(call, atom):
            marks = marks | marks_within(call, part, depth + 1)
    return marks


def name_of(call: CompiledCall, place: Location) -> str:
    """How the trace calls what lies there; of what a container holds, the container."""
    base, name = place
    if name not in (ENTRIES, ITEMS):
        return str(name)
    holders = (
        str(other[1])
        for other, value in call.captured
        if any(isinstance(atom, Object) and atom.site is base for atom in value.atoms)
    )
    return next(holders, "a list" if name == ITEMS else "a dict")


def _may_be_data(atom: Atom) -> bool:
    if isinstance(atom, Tuple):
        return all(_may_be_data(part) for item in atom.items for part in item.atoms)
    is_float = isinstance(atom, (Constant, Number)) and atom.type == "float"
    return is_float or isinstance(atom, (Array, Symbol))


def may_be_arrays(value: Value) -> bool:
    """Something unknown, or a tree of it: no function, class or model."""
    kinds = ("dict", "list", "object")
    return all(
        isinstance(atom, (Array, Tuple, Mapping, Sequence, Symbol))
        or (isinstance(atom, Object) and atom.site.kind in kinds)
        for atom in value.atoms
    )


def model_called(call: CompiledCall, place: Location, value: Value) -> Origin | None:
    """Where the compiled function calls a model of nnx or Equinox that it captures."""
    function, atom = call.function, value.only
    cls = atom.site.info.get("class") if isinstance(atom, Object) else None
    if function is None or cls is None or not isinstance(place[0], (Frame, str)):
        return None
    if not any(name.startswith(("flax.nnx.", "equinox.")) for name in cls.info["library"]):
        return None
    loaded = {
        i[1]
        for i in steps_of(function)
        if i[0] == "load" and i[2] == place[1] and i[3] and i[2] not in function.locals
    }
    calls = (i for i in steps_of(function) if i[0] == "call" and i[2] in loaded)
    return next(((function.path, i[-1]) for i in calls), None)


def is_variable(place: Location) -> bool:
    """A name of a function or of a module, not what an object holds."""
    return isinstance(place[0], (Frame, str))


def call_in(place: Location, event: Effect, calls: CallString) -> Origin:
    """The call, of the function that has this variable, which leads to it; else where it happens.

    `calls`: those that are written in a text.
    """
    owner = place[0]
    for path, span in calls:
        if isinstance(owner, Frame):
            function = owner.function
            if path == function.path and function.line <= span[0] <= function.end_line:
                return path, span
        elif path == owner:
            return path, span
    return event.path, event.span


def is_own_variable(place: Location) -> bool:
    """A parameter of a linen or haiku module: `apply` is given its value as an argument."""
    base = place[0]
    cls = base.info.get("class") if isinstance(base, Site) else None
    return cls is not None and any(
        name.startswith(("flax.linen", "haiku")) for name in cls.info["library"]
    )


def arrays_in(value: Value, depth: int = 0) -> Iterable[Array]:
    """The arrays in a value and in the containers that are values themselves."""
    if depth > 4:
        return
    for atom in value.atoms:
        if isinstance(atom, Array):
            yield atom
        elif isinstance(atom, Tuple):
            for item in atom.items:
                yield from arrays_in(item, depth + 1)
        elif isinstance(atom, Sequence):
            yield from arrays_in(atom.element, depth + 1)
        elif isinstance(atom, Mapping):
            for item in (*atom.values, *((atom.rest,) if atom.rest else ())):
                yield from arrays_in(item, depth + 1)


def other_each_turn(call: CompiledCall, loops: Marks) -> bool:
    """Is another program wanted in each turn: another model or configuration is captured?"""
    return any(
        value.marks & loops
        and (value.unknown or not all(isinstance(a, (Array, Number)) for a in value.atoms))
        and not is_data(call, place, value)
        for place, value in call.captured
    )
