"""Unpacking: `a, b, *c = value`."""

from __future__ import annotations

from dataclasses import replace

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import (
    BOTTOM,
    UNKNOWN,
    Array,
    Atom,
    Object,
    Sequence,
    Size,
    Symbol,
    Tuple,
    Value,
    constant,
    join,
)
from gotcha_lint.interpret.containers.building import new_container, spread
from gotcha_lint.interpret.containers.items import item_of_symbol, named_fields
from gotcha_lint.interpret.heap import (
    Contents,
    element_of,
    size_of,
)
from gotcha_lint.interpret.keys import key_at, with_key
from gotcha_lint.interpret.machine import Machine


def unpack(machine: Machine, value: Value, count: int, star: int | None, span: Span) -> list[Value]:
    """`a, b, *c = value`: the values of the `count` targets; `star` is the place of the star."""
    out = [BOTTOM] * count
    for atom in value.atoms:
        parts = _unpacked(machine, atom, value, count, star, span)
        out = [join(old, new) for old, new in zip(out, parts, strict=True)]
    if value.unknown or not value.atoms:
        out = [join(old, Value((), True, value.marks)) for old in out]
    return out


def _unpacked(
    machine: Machine, atom: Atom, value: Value, count: int, star: int | None, span: Span
) -> list[Value]:
    fields = named_fields(atom)
    if fields is not None and isinstance(atom, Object):
        content: Contents = Tuple(
            tuple(machine.read((atom.site, name)) or UNKNOWN for name in fields)
        )
    elif isinstance(atom, Symbol):
        parts = [item_of_symbol(machine, atom, constant(n), span) for n in range(count)]
        if star is None:
            return [part.marked(value.marks) for part in parts]
        content = Sequence(Value((), True, value.marks), Size())
    elif isinstance(atom, Array) and atom.key is not None:
        parts = _unpacked(machine, replace(atom, key=None), value, count, star, span)
        return [
            part if n == star else with_key(part, key_at(atom, constant(_from_end(n, count, star))))
            for n, part in enumerate(parts)
        ]
    else:
        content = spread(machine, Value((atom,), False, value.marks))
    if star is not None:
        return _unpacked_with_star(machine, content, count, star, span)
    if isinstance(content, Sequence):
        return [content.element] * count
    if len(content.items) == count:
        return list(content.items)
    return [BOTTOM] * count if value.only is None else [element_of(content)] * count


def _from_end(n: int, count: int, star: int | None) -> int:
    """The index of a target: those behind the star count from the end."""
    return n - count if star is not None and n > star else n


def _unpacked_with_star(
    machine: Machine, content: Contents, count: int, star: int, span: Span
) -> list[Value]:
    extra = ("star", star)
    if isinstance(content, Tuple) and len(content.items) >= count - 1:
        end = star + len(content.items) - (count - 1)
        middle = Tuple(content.items[star:end], machine.origin(span))
        rest = new_container(machine, "list", middle, span, extra)
        return [*content.items[:star], rest, *content.items[end:]]
    size = size_of(content)
    left = Size(max(0, size.low - count + 1), max(0, size.high - count + 1), size.marks)
    each = element_of(content)
    rest = new_container(machine, "list", Sequence(each, left), span, extra)
    return [rest if at == star else each for at in range(count)]
