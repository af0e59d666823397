"""New tuples, lists, sets and dicts, of elements and of other containers."""

from __future__ import annotations

from collections.abc import Hashable
from collections.abc import Sequence as Values
from dataclasses import replace
from typing import Any

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import (
    BOTTOM,
    NO_MARKS,
    Atom,
    Mapping,
    Marks,
    Object,
    Sequence,
    Size,
    Symbol,
    Tuple,
    Value,
    fixed,
    join,
    join_all,
    only,
)
from gotcha_lint.interpret.containers.iteration import element
from gotcha_lint.interpret.heap import (
    ENTRIES,
    ITEMS,
    Contents,
    add_sizes,
    contents,
    element_of,
    key_of,
    mapping_of,
    size_of,
    value_of_key,
    with_any_entry,
    with_entry,
)
from gotcha_lint.interpret.machine import Machine

MOST_ITEMS = 64  # of a tuple or list whose elements are told apart

MOST_KEYS = 128  # of a dict whose entries are told apart


def tuple_or_sequence(parts: Values[Contents], origin: Any) -> Contents:
    """Contents one after the other."""
    items: list[Value] = []
    if all(isinstance(part, Tuple) for part in parts):
        for part in parts:
            items += part.items if isinstance(part, Tuple) else ()
        if len(items) <= MOST_ITEMS:
            return Tuple(tuple(items), origin)
    size = fixed(0)
    for part in parts:
        size = add_sizes(size, size_of(part))
    return Sequence(join_all(map(element_of, parts)), size, origin)


def build(machine: Machine, kind: str, items: Values[tuple[bool, Value]], span: Span) -> Value:
    """`(a, *b)`, `[a, *b]`, `{a, *b}`: each item says whether it has a star."""
    parts: list[Contents] = []
    for star, value in items:
        parts.append(spread(machine, value) if star else Tuple((value,)))
    content = tuple_or_sequence(parts, machine.origin(span))
    if kind == "tuple":
        return only(content)
    return new_container(machine, kind, content, span)


def spread(machine: Machine, value: Value) -> Contents:
    """What a value gives when something goes over it."""
    content = contents(machine, value)
    if content is not None:
        return content
    found = mapping_of(machine, value.only) if value.only is not None else None
    if found is not None and found.rest is None:
        return Tuple(tuple(map(value_of_key, found.keys)))
    each, size, why = element(machine, value, None)
    return Sequence(each, size or Size(marks=value.marks), None, why == "range")


def new_container(
    machine: Machine,
    kind: str,
    content: Contents,
    span: Span,
    extra: Hashable = None,
    again: bool = False,
) -> Value:
    """A new list or set that holds this.

    `again`: or what the same instruction has made in this turn, for another alternative.
    """
    if kind == "set":
        content = _without_repetitions(content)
    site = machine.allocate(kind, span, extra)
    held = machine.peek((site, ITEMS)) if again else None
    machine.write((site, ITEMS), join(held or BOTTOM, only(content)))
    return only(Object(site, machine.origin(span)))


def new_dict(machine: Machine, mapping: Mapping, span: Span, extra: Hashable = None) -> Value:
    """A new dict that holds this."""
    site = machine.allocate("dict", span, extra)
    machine.write((site, ENTRIES), only(mapping))
    return only(Object(site, machine.origin(span)))


def _without_repetitions(content: Contents) -> Contents:
    if isinstance(content, Sequence):
        size = content.size
        few = size.low > 0
        return replace(content, size=Size(float(few), size.high, size.marks), is_range=False)
    keys = [key_of(item) for item in content.items]
    if all(key is not None for key in keys):
        kept: dict[Any, Value] = {}
        for key, item in zip(keys, content.items, strict=True):
            kept.setdefault(key, item)
        return Tuple(tuple(kept.values()), content.origin)
    count = len(content.items)
    if count < 2:
        return content
    return Sequence(element_of(content), Size(1, count), content.origin)


def build_dict(machine: Machine, pairs: Values[tuple[Value | None, Value]], span: Span) -> Value:
    """`{key: value, **other}`: a pair without a key is a dict that is spread."""
    mapping = Mapping((), (), None, machine.origin(span))
    for key, value in pairs:
        if key is None:
            mapping = updated(mapping, spread_mapping(machine, value))
        else:
            mapping = stored(mapping, key, value)
    return new_dict(machine, mapping, span)


def spread_mapping(machine: Machine, value: Value) -> Mapping:
    """The entries of what is surely a dict; otherwise some unknown entries."""
    atom = value.only
    mapping = mapping_of(machine, atom) if atom is not None else None
    if mapping is not None:
        return mapping
    rest = Value((), True, value.marks)
    if isinstance(atom, Symbol):
        step = atom.step("[*]")
        rest = rest if step is None else only(step, value.marks)
    return Mapping((), (), rest)


def updated(mapping: Mapping, other: Mapping) -> Mapping:
    """`mapping.update(other)`."""
    if other.rest is not None:
        mapping = with_any_entry(mapping, other.rest)
    for key, value in zip(other.keys, other.values, strict=True):
        mapping = _with_known(mapping, key, value)
    return mapping


def stored(mapping: Mapping, key: Value, value: Value, marks: Marks = NO_MARKS) -> Mapping:
    """`mapping[key] = value`."""
    known = key_of(key)
    if known is not None:
        return _with_known(mapping, known[0], value)
    return with_any_entry(mapping, value, marks)


def _with_known(mapping: Mapping, key: Hashable, value: Value) -> Mapping:
    if key in mapping.keys or len(mapping.keys) < MOST_KEYS:
        return with_entry(mapping, key, value)
    rest = join(mapping.rest or BOTTOM, value)
    return Mapping(mapping.keys, mapping.values, rest, mapping.origin)


def like(machine: Machine, atom: Atom, content: Contents, span: Span, again: bool = False) -> Value:
    """A container of the same kind as this one, with other contents (see `new_container`)."""
    if isinstance(atom, Object) and atom.site.kind in ("list", "set"):
        return new_container(machine, atom.site.kind, content, span, again=again)
    return only(content)
