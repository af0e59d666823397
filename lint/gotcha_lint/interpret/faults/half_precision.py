"""What is computed in bfloat16 or float16, and keeps too few digits there.

A softmax or a loss of half precision gives half precision, however it adds inside; a random number
that is added to logits has their type, and so few values; a running sum stops at a few hundred
times its addend. Sums and means of one call are added in float32 and rounded once: they are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import (
    LEAF,
    TREE,
    Array,
    Elements,
    Object,
    Tuple,
    Value,
    is_tree_of_leaf,
)
from gotcha_lint.facts.halves import DRAWS, HALVES, LOGARITHMS, RUNNING_SUMS, SHARES, SPREADS, SUMS
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.elements import elements_of
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.heap import ENTRIES, contents, mapping_of
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.promotion import dtypes_of

KIND = "half precision"
CARRIED = "carried"
_OPERANDS = {"jax.random.categorical": (1, "logits")}
_NAMES = ("logits", "log_predictions", "a", "x")
_LIKE_ADD = ("Add", "Sub")
_DEPTH = 4


def halves_in(value: Value) -> tuple[frozenset[str], bool]:
    """The types of half precision that a value may have, and whether it has one for certain."""
    arrays = [atom for atom in value.atoms if isinstance(atom, Array)]
    found = frozenset(a.dtype for a in arrays if a.dtype in HALVES and a.place == "device")
    return frozenset(str(each) for each in found), not value.unknown and all(
        isinstance(atom, Array) and atom.dtype in HALVES for atom in value.atoms
    )


def may_be_half(value: Value) -> bool:
    """Arrays of half precision, or something unknown: of a type that is chosen elsewhere."""
    return value.unknown and bool(halves_in(value)[0])


def follow(machine: Machine, operands: Iterable[Value], out: Value) -> None:
    """Keeps the place from which on a result has half precision: a cast, a layer."""
    for atom in out.atoms:
        if not isinstance(atom, Array) or atom.dtype not in HALVES or atom.origin is None:
            continue
        before = [
            other.origin
            for value in operands
            for other in value.atoms
            if isinstance(other, Array) and other.dtype == atom.dtype and other.origin is not None
        ]
        first = min(before, default=None)
        if first is not None and first != atom.origin:
            machine.halves[atom.origin] = machine.halves.get(first, first)


def after_square(call: Call, out: Value) -> None:
    """`jnp.square(x)`"""
    if call.short == "square":
        note_squares(call.engine, out)


def note_squares(machine: Machine, out: Value) -> None:
    machine.squares.update(
        atom.origin
        for atom in out.atoms
        if isinstance(atom, Array) and atom.dtype in HALVES and atom.origin is not None
    )


def check_function(call: Call) -> None:
    """`jax.nn.log_softmax(x)`, `jax.random.categorical(key, x)`, `jnp.cumsum(x)`, `jnp.var(x)`."""
    name = call.name
    if name in LOGARITHMS:
        _note(call, _operand(call), "digits", "weights" in call.keywords)
    elif name in DRAWS:
        _note(call, _operand(call), "draw")
    elif name in SHARES:
        _note(call, _operand(call), "share", maybe=True)
    elif name in SUMS and len(call.args) == 2:  # `jax.tree.map(jnp.add, total, new)`
        _check_sum(call.engine, *call.args, call.short, call.span)
    elif name in RUNNING_SUMS and _keeps_type(call):
        _note(call, _operand(call), "running sum")
    elif name.startswith("jax.numpy."):
        _check_spread(call, call.short, _operand(call))


def check_method(call: Call, array: Value) -> None:
    """`x.cumsum()`, `x.var()`, `(x * x).mean()`"""
    if call.short == "cumsum" and _keeps_type(call):
        _note(call, array, "running sum")
    else:
        _check_spread(call, call.short, array)


def _check_spread(call: Call, name: str, operand: Value | None) -> None:
    """The mean of squares that a norm divides by: squares are rounded before they are added."""
    if operand is None or not _keeps_type(call):
        return
    origins = {getattr(atom, "origin", None) for atom in operand.atoms}
    if name in SPREADS or (name == "mean" and not call.engine.squares.isdisjoint(origins)):
        _note(call, operand, "spread", maybe=True)


def _keeps_type(call: Call) -> bool:
    given = call.keyword("dtype")
    return given is None or given.is_none


def _operand(call: Call) -> Value | None:
    place, name = _OPERANDS.get(call.name, (0, ""))
    if place < len(call.args):
        return call.args[place]
    names = (name,) if name else _NAMES
    return next((call.keywords[n] for n in names if n in call.keywords), None)


def _note(call: Call, operand: Value | None, kind: str, maybe: bool = False) -> None:
    if operand is not None:
        _note_value(call.engine, operand, kind, call.short, call.span, maybe)


def _note_value(
    machine: Machine, operand: Value, kind: str, word: str, span: Span, maybe: bool = False
) -> None:
    found, certain = halves_in(operand)
    if not found or machine.lenient or (maybe and operand.unknown):
        return
    doubt = "what may be " if operand.unknown else ""
    since = sorted(
        (str(atom.dtype), machine.halves.get(atom.origin, atom.origin))
        for atom in operand.atoms
        if isinstance(atom, Array) and atom.dtype in HALVES and atom.origin is not None
    )
    places = tuple((*place, f"of {dtype} from here on") for dtype, place in since[:1])
    remark(
        machine, KIND, span, kind, word, doubt + " or ".join(sorted(found)),
        places=places, maybe=maybe or not certain,
    )  # fmt: skip


# Running sums in the carry of a loop


def as_carried(machine: Machine, carry: Value, span: Span, depth: int = 0) -> Value:
    """The carry as the body gets it: leaves of half precision say that they are carried."""
    loop = (CARRIED, (machine.path, span))
    atom = carry.only
    if isinstance(atom, Array) and atom.dtype in HALVES and atom.elements is None:
        made = Elements(made=(CARRIED, (machine.path, span)))
        return Value((replace(atom, elements=made),), False, carry.marks | {loop})
    if isinstance(atom, Tuple) and depth < _DEPTH:
        items = tuple(as_carried(machine, item, span, depth + 1) for item in atom.items)
        return Value((replace(atom, items=items),), False, carry.marks, carry.choice)
    if atom is not None and isinstance(atom, Object) and is_tree_of_leaf(atom):
        site = machine.allocate("object", span, (TREE, CARRIED))
        leaf = as_carried(machine, atom.site.info[LEAF], span, depth + 1)
        site.info.update({"name": TREE, LEAF: leaf})
        return Value((Object(site, atom.origin),), False, carry.marks)
    if isinstance(atom, Object) and atom.site.kind == "dict" and depth < _DEPTH:
        return _dict_as_carried(machine, carry, atom, span, depth)
    return carry


def _dict_as_carried(machine: Machine, carry: Value, atom: Object, span: Span, depth: int) -> Value:
    """A tree of gradients with names: a new dict, if one of its leaves has half precision."""
    mapping = mapping_of(machine, atom)
    if mapping is None:
        return carry
    values = tuple(as_carried(machine, value, span, depth + 1) for value in mapping.values)
    if values == mapping.values:
        return carry
    site = machine.allocate("dict", span, (CARRIED, depth, mapping.keys))
    site.info.update(atom.site.info)
    machine.write((site, ENTRIES), Value((replace(mapping, values=values),), False))
    return Value((Object(site, atom.origin),), False, carry.marks)


def check_operator(
    machine: Machine, operator: str, x: Value, y: Value, out: Value, span: Span
) -> None:
    """`total + x` of a carry of half precision, where `x` does not follow from the carry."""
    follow(machine, (x, y), out)
    if (operator == "Mult" and x == y) or (operator == "Pow" and y.constant == 2):
        note_squares(machine, out)
    if operator in _LIKE_ADD:
        _check_sum(machine, x, y, "+", span)


def _check_sum(machine: Machine, x: Value, y: Value, word: str, span: Span) -> None:
    for total, addend in ((x, y), (y, x)):
        known = elements_of(total)
        made = known.made if known is not None else ""
        if isinstance(made, tuple) and made[0] == CARRIED and made not in addend.marks:
            _note_value(machine, total, "running sum", word, span)


# Weights


def check_weights(call: Call, params: Value | None) -> None:
    """`tx.init(params)` of weights of half precision: small updates are lost in them."""
    for leaf in _leaves(call.engine, params, 0) if params is not None else ():
        if halves_in(leaf)[0]:
            _note(call, leaf, "weights")
            return


def _leaves(machine: Machine, tree: Value, depth: int) -> Iterator[Value]:
    if any(isinstance(atom, Array) for atom in tree.atoms):
        yield tree
        return
    for atom in tree.atoms if depth < _DEPTH else ():
        content = contents(machine, tree)
        mapping = mapping_of(machine, atom) if content is None else None
        if isinstance(content, Tuple):
            parts: tuple[Value, ...] = content.items
        elif mapping is not None:
            parts = (*mapping.values, *((mapping.rest,) if mapping.rest is not None else ()))
        elif isinstance(atom, Object) and is_tree_of_leaf(atom):
            parts = (atom.site.info[LEAF],)
        elif isinstance(atom, Object) and atom.site.info.get("holds"):
            types = dtypes_of(atom.site.info["options"].get("param_dtype"))
            parts = (Value([Array(each, False, None, "device", atom.origin) for each in types]),)
        elif isinstance(atom, Object) and atom.site.kind == "instance":
            fields = (machine.peek((atom.site, n)) for n in machine.fields_of(atom.site))
            parts = tuple(value for value in fields if value is not None)
        else:
            continue
        for part in parts:
            yield from _leaves(machine, part, depth + 1)
