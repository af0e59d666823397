"""Copies of what a caller gives, with other fields: `state.replace(rng=key)` of a parameter.

A copy is a symbol, too: that of the original, and a step that names the call. What the call gives
is written to the fields of the copy; the other fields are those of the original.
"""

from __future__ import annotations

from collections.abc import Mapping as Fields

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import Mapping, Object, Symbol, Value, only
from gotcha_lint.interpret.machine import Machine

_COPY = "copy "  # a step begins so
_REPLACES = ("replace", "_replace")  # dataclasses, structs of flax and chex; named tuples
_APPLIES = "apply_gradients"  # a train state
COPYING = frozenset((*_REPLACES, _APPLIES))
_APPLIED = ("params", "opt_state", "step")


def is_copy(symbol: Symbol) -> bool:
    return bool(symbol.path) and is_copy_step(symbol.path[-1])


def is_copy_step(step: object) -> bool:
    return isinstance(step, str) and step.startswith(_COPY)


def original(copy: Symbol) -> Symbol:
    return Symbol(copy.root, copy.path[:-1], copy.origin)


def fields_of_copy(machine: Machine, copy: Symbol) -> dict[str, Value]:
    """What has been written to it, and to the copies that it was made of."""
    own = ((name, machine.read((copy, name))) for name in machine.fields_of(copy))
    found = {name: value for name, value in own if value is not None}
    of = original(copy)
    return {**fields_of_copy(machine, of), **found} if is_copy(of) else found


def renamed(machine: Machine, copy: Symbol, fields: Fields[str, Value], span: Span) -> Symbol:
    """The same with other fields: what a loop has made of it."""
    step = _step(machine, span)
    known = {**fields_of_copy(machine, copy), **fields}
    first = copy
    while is_copy(first):
        first = original(first)
    new = Symbol(first.root, (*first.path, step), machine.origin(span))
    for name, value in known.items():
        machine.write((new, name), value)
    return new


def copied(
    machine: Machine,
    method: Symbol,
    args: tuple[Value, ...],
    keywords: Fields[str, Value],
    span: Span,
) -> Value | None:
    """What a method of a symbol gives that copies it; None for other methods.

    A copy of a copy that the same call has made is given up: a loop makes one after the other.
    So are settings that are given as a dict: it is unknown what the class makes of them.
    """
    last = str(method.path[-1])[1:] if method.path else ""
    replaces = last in _REPLACES and not args and bool(keywords)
    if not (replaces or (last == _APPLIES and len(args) < 2)) or "*" in keywords:
        return None
    step = _step(machine, span)
    of = original(method)
    made = None if step in of.path else of.step(step, machine.origin(span))
    if made is None or any(map(_is_dict, keywords.values())):
        return None
    fields = dict(keywords)
    if not replaces:
        fields.pop("grads", None)
        fields |= {name: Value((), True, _marks(args, keywords)) for name in _APPLIED}
    for name, value in fields.items():
        machine.write((made, name), value)
    return only(made)


def _is_dict(value: Value) -> bool:
    atom = value.only
    return isinstance(atom, Mapping) or (isinstance(atom, Object) and atom.site.kind == "dict")


def _step(machine: Machine, span: Span) -> str:
    return f"{_COPY}{machine.path}:{span[0]}:{span[1]}"


def _marks(args: tuple[Value, ...], keywords: Fields[str, Value]) -> frozenset[object]:
    given = (*args, *keywords.values())
    return frozenset().union(*(value.marks for value in given))
