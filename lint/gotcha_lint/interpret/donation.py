"""Arguments of a compiled call that its result replaces, where their memory is not donated.

Until the call is done, the old value and the new one are both in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.tracers import without_tracers
from gotcha_lint.domain.value import (
    OPTIMIZER_STATE,
    Array,
    Atom,
    Constant,
    Library,
    Number,
    Object,
    Tuple,
    Value,
)
from gotcha_lint.interpret.arrays import bytes_of
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.events import Effect, Event, Replaced
from gotcha_lint.interpret.heap import contents, mapping_of
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.donated import call_at
from gotcha_lint.program.ir import Function
from gotcha_lint.program.rebinding import rebindings

_OPTIONS = ("donate_argnums", "donate_argnames", "donate")
_DEPTH = 4
_SMALL = 1 << 20  # bytes: less is not worth a word


def replaced(
    call: Call,
    site: Site,
    parameters: Sequence[str],
    trained: Collection[str],
    donated: Collection[int | str] | None,
) -> tuple[Replaced, ...]:
    """The arguments of this call that are not donated; none where it is unknown which are.

    `parameters`: the names of the compiled function's; `trained`: those that an optimizer updates.
    """
    machine = call.engine
    if donated is None:
        return ()
    left_out = any(option in site.info["keywords"] for option in _OPTIONS)
    function = machine.activation.function
    known = machine.rebinding.get(function)
    if known is None:
        known = machine.rebinding[function] = rebindings(function)
    found: list[Replaced] = []
    are_small = False
    receiver = _receivers(call, function)
    for written, text in known.get(call.span, ()):
        argument = written + receiver if isinstance(written, int) else written
        if argument in donated:
            continue
        value = _given(call, argument)
        size = None if value is None else bytes_in(machine, value)
        if value is None or (_is_tree(machine, value) and (size is None or size >= _SMALL)):
            name = argument
            if isinstance(argument, int) and argument < len(parameters):
                name = parameters[argument]
            trains = name in trained or (
                value is not None and _holds_optimizer_state(machine, value)
            )
            told = None if left_out or site.info.get("filters") else argument
            found.append(Replaced(text, size, trains, told, left_out))
        elif size and not _is_key(value):
            are_small = True  # the weights, and with them the state of their optimizer
    if are_small:
        return tuple(replace(each, trains=False) for each in found)
    return tuple(found)


def updated_in_place(
    events: Sequence[Event], given: Mapping[str, Value], donated: Collection[str]
) -> tuple[Replaced, ...]:
    """Arguments that are objects of nnx and that the trace writes new arrays to.

    `nnx.jit` gives the new arrays back; those of an argument that is not donated live on until
    then. `events`: those of the trace.
    """
    written = [
        without_tracers(value)
        for event in events
        if isinstance(event, Effect) and event.kind == "in place"
        for value in event.values
    ]
    return tuple(
        Replaced(name, trains=any(map(_is_model, value.atoms)), argument=name)
        for name, value in given.items()
        if name not in donated and value.atoms and without_tracers(value) in written
    )


def _receivers(call: Call, function: Function) -> int:
    """1 where the object of a method is an argument that is not written as one."""
    written = call_at(function, call.span)
    if written is None or any(star for star, _ in written[3]):
        return 0
    return max(len(call.args) - len(written[3]), 0)


def _given(call: Call, argument: int | str | None) -> Value | None:
    if isinstance(argument, str):
        return call.keywords.get(argument)
    if argument is not None and argument < len(call.args):
        return call.args[argument]
    return None


def _is_tree(machine: Machine, value: Value) -> bool:
    """May it be arrays of a state? A random key or a number is none."""
    numbers = any(isinstance(atom, (Constant, Number, Library)) for atom in value.atoms)
    return not (numbers or _is_key(value))


def _is_key(value: Value) -> bool:
    return any(isinstance(atom, Array) and atom.key is not None for atom in value.atoms)


def _is_model(atom: Atom) -> bool:
    """An object of a class of the project. A layer alone may be small: little is known of it."""
    return isinstance(atom, Object) and atom.site.info.get("class") is not None


def _holds_optimizer_state(machine: Machine, value: Value, depth: int = 0) -> bool:
    """Is it what a training step carries? All that is known of it is looked at, to some depth.

    False where arrays beside it are known to be small.
    """
    if depth > _DEPTH:
        return False
    if any(isinstance(atom, Object) and _is_state(atom.site) for atom in value.atoms):
        return True
    parts = list(_parts(machine, value))
    sizes = [size for part in parts if (size := bytes_in(machine, part))]
    if sizes and sum(sizes) < _SMALL:
        return False
    return any(_holds_optimizer_state(machine, part, depth + 1) for part in parts)


def _is_state(site: Site) -> bool:
    """The state of an optimizer, or an `nnx.Optimizer`, which holds its own."""
    info = site.info
    return info.get("name") == OPTIMIZER_STATE or (site.kind == "optimizer" and "data" in info)


def _parts(machine: Machine, value: Value) -> Iterator[Value]:
    content = contents(machine, value)
    if content is not None:
        yield from content.items if isinstance(content, Tuple) else (content.element,)
        return
    for atom in value.atoms:
        mapping = mapping_of(machine, atom)
        if mapping is not None:
            yield from mapping.values
        elif isinstance(atom, Object):
            held = (machine.read((atom.site, name)) for name in machine.fields_of(atom.site))
            yield from (inner for inner in held if inner is not None)


def bytes_in(machine: Machine, value: Value, depth: int = 0) -> int | None:
    """The bytes of all arrays in a value; None where they are not known."""
    atom = value.only
    if isinstance(atom, Array):
        return bytes_of(atom)
    if isinstance(atom, (Constant, Number)):
        return 0
    if atom is None or depth > _DEPTH or isinstance(atom, Library):
        return None
    content = contents(machine, value)
    items = getattr(content, "items", None)
    if items is None and not isinstance(atom, Object):
        return None
    if items is None:
        mapping = mapping_of(machine, atom)
        if mapping is None or mapping.rest is not None:
            return None
        items = mapping.values
    sizes = [bytes_in(machine, item, depth + 1) for item in items]
    return None if None in sizes else sum(size for size in sizes if size is not None)
