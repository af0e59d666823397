"""What the host reads from the device: where it waits, and for which dispatch.

A read is noted where the value follows from a dispatch of this turn (see `domain.freshness`), or
from a parameter, for which each call puts its own argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gotcha_lint.domain.freshness import Aged, aged, made_in, read_at
from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import (
    NO_MARKS,
    Array,
    Atom,
    Mapping,
    Marks,
    Number,
    Object,
    Symbol,
    Tuple,
    Value,
    only,
)
from gotcha_lint.interpret.events import HostRead
from gotcha_lint.interpret.heap import contents_of, element_of, mapping_of
from gotcha_lint.interpret.machine import Machine

METHODS = frozenset(("item", "tolist", "block_until_ready", "__float__", "__array__"))
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
    found = leaves(machine, values, symbols)
    if not found:
        return NO_MARKS
    machine.note(
        HostRead(
            what=what,
            path=machine.path,
            span=span,
            values=found,
            within=machine.activation.function,
            loops=machine.current,
            guards=machine.guards,
            calls=machine.calls,
        )
    )
    return frozenset((read_at((machine.path, span)),))


def leaves(machine: Machine, values: Iterable[Value], symbols: bool = True) -> tuple[Value, ...]:
    """What may have to be waited for in these values."""
    found = dict.fromkeys(leaf for value in values for leaf in _leaves(machine, value, symbols, 0))
    return tuple(found)[:_LEAVES]


def _leaves(machine: Machine, value: Value, symbols: bool, depth: int) -> Iterator[Value]:
    fresh = made_in(value.marks)
    if value.unknown and fresh:
        yield Value((), True, value.marks)
    for atom in value.atoms:
        if isinstance(atom, Array):
            if fresh and atom.place == "device":
                yield Value((atom,), False, value.marks)
        elif isinstance(atom, Symbol):
            if symbols:
                yield Value((atom,), False, value.marks)
        elif depth < _DEPTH:
            for part in _parts(machine, atom):
                yield from _leaves(machine, part, symbols, depth + 1)


def _parts(machine: Machine, atom: Atom) -> Iterable[Value]:
    content = contents_of(machine, atom)
    if content is not None:
        return content.items if isinstance(content, Tuple) else (element_of(content),)
    mapping = mapping_of(machine, atom)
    if mapping is not None:
        return (*mapping.values, *((mapping.rest,) if mapping.rest is not None else ()))
    if isinstance(atom, Object) and atom.site.kind == "instance":
        site = atom.site
        found = (machine.peek((site, name)) for name in machine.fields_of(site))
        return [value for value in found if value is not None]
    return ()


def on_host(value: Value, seen: Marks, known: Aged) -> Value:
    """What the host holds after the read: arrays of NumPy, for which nothing has to wait."""
    return _fetched(aged(value, known)).marked(seen)


def _fetched(value: Value) -> Value:
    atoms: list[Atom] = []
    for atom in value.atoms:
        if isinstance(atom, Array):
            atom = Array(atom.dtype, False, atom.shape, "host", atom.origin)
        elif isinstance(atom, Tuple):
            atom = Tuple(tuple(_fetched(item) for item in atom.items), atom.origin)
        elif isinstance(atom, Mapping):
            rest = None if atom.rest is None else _fetched(atom.rest)
            values = tuple(_fetched(item) for item in atom.values)
            atom = Mapping(atom.keys, values, rest, atom.origin)
        atoms.append(atom)
    return Value(atoms, value.unknown, value.marks, value.choice)


def number_read(value: Value, seen: Marks, known: Aged) -> Value:
    """The number or text that the host makes of what it read."""
    return aged(value, known).marked(seen) if seen else value


def text(marks: Marks, seen: Marks) -> Value:
    """Text that shows what was read."""
    return only(Number("str"), (marks - made_in(marks)) | seen)
