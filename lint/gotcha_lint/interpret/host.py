"""What the host reads from the device: where it waits, and for which dispatch.

A read is noted where the value follows from a dispatch of this turn (see `domain.freshness`), or
from a parameter, for which each call puts its own argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gotcha_lint.domain.freshness import (
    after,
    aged,
    dispatched,
    has_read,
    histories,
    made_in,
    read_at,
    without_histories,
)
from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import (
    LEAF,
    NO_MARKS,
    Array,
    Atom,
    Marks,
    Number,
    Object,
    Symbol,
    Tuple,
    Value,
    is_optimizer_state,
    is_tree_of_leaf,
    join,
    only,
)
from gotcha_lint.interpret.containers.building import new_container, new_dict
from gotcha_lint.interpret.effects import ON_HOST, note
from gotcha_lint.interpret.element_reads import note_element, note_entry
from gotcha_lint.interpret.events import CallString, CompiledCall, Effect, Guards, HostRead
from gotcha_lint.interpret.heap import Contents, contents_of, element_of, mapping_of
from gotcha_lint.interpret.machine import Machine

METHODS = frozenset(("item", "tolist", "block_until_ready", "__float__", "__array__"))
_WAITING = frozenset(("block_until_ready", "device_get", "process_allgather"))
_SHOWING = frozenset(("if", "while", "format", "print", "range"))
_DEPTH = 4  # of containers in containers
_LEAVES = 8  # of what is read at once that are told apart


def read(
    machine: Machine, values: Iterable[Value], span: Span, what: str, symbols: bool = True
) -> Marks:
    """Notes that the host reads these; returns the marks of what it gets.

    `symbols`: parameters count too. Nothing is read where JAX traces.
    """
    if machine.traced:
        return NO_MARKS
    values = tuple(values)
    note_element(machine, values, span, what)
    note_entry(machine, values, span, what)
    if what in _WAITING or (what not in _SHOWING and any(value.unknown for value in values)):
        note(machine, "wait", what, span)
    if any(isinstance(a, Array) and a.place == "device" for v in values for a in v.atoms):
        machine.reading.update(loop for loop, _ in machine.loops)
        if all(guard.of_loop for guard in machine.guards) and not machine.activation.on_host:
            machine.activation.on_host = True
            note(machine, ON_HOST, what, span)
    found = leaves(machine, values, symbols)
    older = () if found else _waited_for_idly(machine, values)
    if not (found or older):
        if what != "if":
            note_given(machine, values, span, what)
        return NO_MARKS
    machine.note(
        HostRead(
            what=what,
            path=machine.path,
            span=span,
            values=found or older,
            within=machine.activation.function,
            loops=machine.current,
            guards=machine.guards,
            calls=machine.calls,
            older=not found,
        )
    )
    return frozenset((read_at((machine.path, span)),))


def _waited_for_idly(machine: Machine, values: Iterable[Value]) -> tuple[Value, ...]:
    """What the turn before has made, if this one has dispatched nothing yet: nothing is queued."""
    loops = machine.activation.loops
    if not loops or not machine.loops or not machine.loops[-1][1]:
        return ()
    older = [
        value
        for value in leaves(machine, values, False, older=True)
        if dispatched(value.marks) and not has_read(value.marks)
    ]
    begun = machine.events[loops[-1].start :] if older else ()
    return () if any(isinstance(event, CompiledCall) for event in begun) else tuple(older)


def note_given(machine: Machine, values: Iterable[Value], span: Span, what: str) -> None:
    """Something gets what may be on the device, and may wait for it: an unknown function."""
    if not machine.traced:
        found = leaves(machine, values, older=True)
        if found:
            note(machine, "given", what, span, found)


def as_wait(
    machine: Machine,
    event: HostRead,
    given: Iterable[Value],
    loops: Marks,
    guards: Guards,
    calls: CallString,
) -> Effect | None:
    """A read of what an older dispatch has made, or of something unknown."""
    given = tuple(given)
    unknown = event.what not in _SHOWING and any(value.unknown for value in given)
    if not (unknown or leaves(machine, given, older=True)):
        return None
    return Effect(
        "wait", event.what, event.path, event.span, event.within,
        loops=loops, guards=guards, calls=calls,
    )  # fmt: skip


def leaves(
    machine: Machine, values: Iterable[Value], symbols: bool = True, older: bool = False
) -> tuple[Value, ...]:
    """What may have to be waited for in these values.

    `older`: all arrays, too, that are on the device.
    """
    found: dict[Value, None] = {}
    seen: dict[Value, int] = {}
    for value in values:
        for leaf in _leaves(machine, value, symbols, older, 0, seen):
            found[leaf] = None
            if len(found) == _LEAVES:
                return tuple(found)
    return tuple(found)


def _leaves(
    machine: Machine, value: Value, symbols: bool, older: bool, depth: int, seen: dict[Value, int]
) -> Iterator[Value]:
    """`seen`: how deep each value was found that has been looked into; no deeper one is again."""
    if seen.get(value, _DEPTH + 1) <= depth:
        return
    seen[value] = depth
    marks = value.marks
    made = dispatched(marks) if older else made_in(marks)
    fresh = bool(made or histories(marks))
    if value.unknown and fresh:
        yield Value((), True, value.marks)
    for atom in value.atoms:
        if isinstance(atom, Array):
            if (fresh or older) and atom.place == "device":
                yield Value((atom,), False, value.marks)
        elif isinstance(atom, Symbol):
            if symbols:
                yield Value((atom,), False, value.marks)
        elif depth < _DEPTH:
            for part in _parts(machine, atom):
                given = part.marked(made) if made else part  # a call has made the whole container
                yield from _leaves(machine, given, symbols, older, depth + 1, seen)


def _parts(machine: Machine, atom: Atom) -> Iterable[Value]:
    content = contents_of(machine, atom)
    if content is not None:
        return content.items if isinstance(content, Tuple) else (element_of(content),)
    mapping = mapping_of(machine, atom)
    if mapping is not None:
        return (*mapping.values, *((mapping.rest,) if mapping.rest is not None else ()))
    if isinstance(atom, Object) and is_tree_of_leaf(atom):
        return (atom.site.info[LEAF],)
    if isinstance(atom, Object) and (atom.site.kind == "instance" or is_optimizer_state(atom)):
        site = atom.site
        found = (machine.peek((site, name)) for name in machine.fields_of(site))
        return [value for value in found if value is not None]
    return ()


def on_host(machine: Machine, value: Value, seen: Marks, span: Span) -> Value:
    """What the host holds after the read: arrays of NumPy, for which nothing has to wait."""
    return _fetched(machine, aged(value, machine.aged), span, 0).marked(seen)


def _fetched(machine: Machine, value: Value, span: Span, depth: int) -> Value:
    if depth > _DEPTH:
        return Value((), True, without_histories(value.marks))
    out = Value((), value.unknown, without_histories(value.marks), value.choice)
    for number, atom in enumerate(value.atoms):
        new = _fetched_atom(machine, atom, span, depth, (depth, number))
        out = join(out, new.marked(out.marks))
    return out


def _fetched_atom(
    machine: Machine, atom: Atom, span: Span, depth: int, extra: tuple[int, int]
) -> Value:
    """Containers are new ones."""
    if isinstance(atom, Array):
        return only(Array(atom.dtype, False, atom.shape, "host", atom.origin))
    content = contents_of(machine, atom)
    if isinstance(content, Tuple):
        items = tuple(_fetched(machine, item, span, depth + 1) for item in content.items)
        new: Contents = replace(content, items=items)
    elif content is not None:
        new = replace(content, element=_fetched(machine, content.element, span, depth + 1))
    else:
        mapping = mapping_of(machine, atom)
        if isinstance(atom, Object) and atom.site.kind == "instance":
            return _fetched_instance(machine, atom, span, depth, extra)
        if mapping is None:
            return Value((), True) if is_optimizer_state(atom) else only(atom)
        rest = None if mapping.rest is None else _fetched(machine, mapping.rest, span, depth + 1)
        values = tuple(_fetched(machine, item, span, depth + 1) for item in mapping.values)
        mapping = replace(mapping, values=values, rest=rest)
        is_dict = isinstance(atom, Object)
        return new_dict(machine, mapping, span, extra) if is_dict else only(mapping)
    if isinstance(atom, Object):
        return new_container(machine, atom.site.kind, new, span, extra)
    return only(new)


def _fetched_instance(
    machine: Machine, atom: Object, span: Span, depth: int, extra: tuple[int, int]
) -> Value:
    """A new object of the same class: a tree, of which each field is fetched."""
    old = atom.site
    site = machine.allocate("instance", span, (old.info.get("class"), extra))
    site.info.update({k: old.info[k] for k in ("class", "name", "statics") if k in old.info})
    for name in machine.fields_of(old):
        value = machine.read((old, name))
        if value is not None:
            machine.write((site, name), _fetched(machine, value, span, depth + 1))
    return only(Object(site, atom.origin))


def text(marks: Marks, seen: Marks) -> Value:
    """Text that shows what was read."""
    return only(Number("str"), after(marks, seen))
