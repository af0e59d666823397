"""Random keys that a loop of JAX leaves in its carry: what its body renews, it renews each time."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import TypeGuard

from gotcha_lint.domain.keys import Key
from gotcha_lint.domain.sites import Site, Span
from gotcha_lint.domain.value import Array, Atom, Mapping, Object, Symbol, Tuple, Value
from gotcha_lint.interpret.copies import fields_of_copy, is_copy, renamed
from gotcha_lint.interpret.keys import names
from gotcha_lint.interpret.machine import Machine

_DEPTH = 3  # of containers in the carry


def after_loop(machine: Machine, init: Value, carry: Value, span: Span) -> Value:
    """The last carry of a loop, given that of its first turn: what it renews, it renews each time.

    So it is no key of the second turn.
    """
    kept = frozenset(key for value in _parts(machine, init, 0) for key in names(value))
    return _Renewal(machine, span, kept).value(carry, 0)


def _parts(machine: Machine, value: Value, depth: int) -> Iterator[Value]:
    yield value
    for atom in value.atoms if depth < _DEPTH else ():
        for item in _parts_of(machine, atom):
            yield from _parts(machine, item, depth + 1)


def _parts_of(machine: Machine, atom: Atom) -> tuple[Value, ...]:
    if isinstance(atom, Tuple):
        return atom.items
    if isinstance(atom, Mapping):
        return atom.values
    if isinstance(atom, Symbol) and is_copy(atom):
        return tuple(fields_of_copy(machine, atom).values())
    return tuple(_fields(machine, atom.site).values()) if _is_instance(atom) else ()


def _is_instance(atom: Atom) -> TypeGuard[Object]:
    return isinstance(atom, Object) and atom.site.kind == "instance"


def _fields(machine: Machine, site: Site) -> dict[str, Value]:
    read = ((name, machine.read((site, name))) for name in machine.fields_of(site))
    return {name: value for name, value in read if value is not None}


@dataclass(frozen=True, slots=True)
class _Renewal:
    machine: Machine
    span: Span
    kept: frozenset[Key]  # that the loop began with

    def value(self, value: Value, depth: int) -> Value:
        atoms = [self._atom(atom, depth) for atom in value.atoms]
        if all(a is b for a, b in zip(atoms, value.atoms, strict=True)):
            return value
        return Value(atoms, value.unknown, value.marks, value.choice)

    def _atom(self, atom: Atom, depth: int) -> Atom:
        if isinstance(atom, Array):
            step: Hashable = "after", self.machine.path, self.span
            is_new = atom.key is not None and atom.key.steps and atom.key not in self.kept
            return replace(atom, key=atom.key.step(step)) if atom.key and is_new else atom
        if depth >= _DEPTH:
            return atom
        if isinstance(atom, Tuple):
            return replace(atom, items=tuple(self.value(v, depth + 1) for v in atom.items))
        if isinstance(atom, Mapping):
            return replace(atom, values=tuple(self.value(v, depth + 1) for v in atom.values))
        if isinstance(atom, Symbol) and is_copy(atom):
            fields = self._changed(fields_of_copy(self.machine, atom), depth)
            return renamed(self.machine, atom, fields, self.span) if fields else atom
        return self._instance(atom, depth) if _is_instance(atom) else atom

    def _instance(self, atom: Object, depth: int) -> Atom:
        """A loop gives a new object, as a tree is put together again."""
        machine, old = self.machine, atom.site
        fields = _fields(machine, old)
        new = self._changed(fields, depth)
        if not new:
            return atom
        site = machine.allocate("instance", self.span, (old.info.get("class"), "after"))
        site.info.update({k: old.info[k] for k in ("class", "name", "statics") if k in old.info})
        for name, value in {**fields, **new}.items():
            machine.write((site, name), value)
        return Object(site, atom.origin)

    def _changed(self, fields: dict[str, Value], depth: int) -> dict[str, Value]:
        """The fields that hold a renewed key."""
        new = ((name, value, self.value(value, depth + 1)) for name, value in fields.items())
        return {name: after for name, value, after in new if after is not value}
