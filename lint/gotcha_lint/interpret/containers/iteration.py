"""What iterating over a value gives: an element, and how many there are."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from gotcha_lint.domain import affine
from gotcha_lint.domain.freshness import taken_from
from gotcha_lint.domain.keys import EACH_ONE
from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.tracers import TRACED
from gotcha_lint.domain.value import (
    BOTTOM,
    INFINITY,
    NO_MARKS,
    UNKNOWN,
    Array,
    Atom,
    Constant,
    Mapping,
    Marks,
    Number,
    Object,
    Sequence,
    Size,
    Symbol,
    Tuple,
    Value,
    fixed,
    join,
    join_all,
    join_sizes,
    only,
)
from gotcha_lint.interpret.batches import BATCH_SIZE, DROPPED, Batch, keeps_rest
from gotcha_lint.interpret.derivative import kept
from gotcha_lint.interpret.element_reads import of_row
from gotcha_lint.interpret.heap import (
    class_of,
    contents_of,
    defines,
    element_of,
    is_fresh,
    is_stable,
    mapping_of,
    value_of_key,
)
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.own_sizes import row_of
from gotcha_lint.interpret.start.backend import note_iterated

_DEPTH = 5  # of elements in elements

Why = str | None  # what gives the turns of a loop: "range", "dim" of an array, or "leaves"


def element(
    machine: Machine, value: Value, loop: Hashable | None
) -> tuple[Value, Size | None, Why]:
    """What going over a value gives: an element, how many, and why this is known.

    With `loop`, what differs between the elements varies with it.
    """
    marks = NO_MARKS if loop is None else frozenset((loop,))
    out, turns, why = BOTTOM, None, None
    if value.unknown or not value.atoms:
        out = Value((), True, value.marks | marks)
    for atom in value.atoms:
        each, size, reason = _element(machine, atom, value, marks)
        out = join(out, each)
        turns = size if turns is None else join_sizes(turns, size)
        why = reason or why
    out = taken_from(kept(machine, out, value), value)
    return out, None if value.unknown else turns, why


def _element(machine: Machine, atom: Atom, value: Value, marks: Marks) -> tuple[Value, Size, Why]:
    content = contents_of(machine, atom)
    if isinstance(content, Tuple):
        return _item_in_turn(machine, content, marks), fixed(len(content.items)), None
    if isinstance(content, Sequence):
        note_iterated(machine, content.origin)
        each = content.element if not marks else _in_turn(machine, content.element, marks)
        return each, content.size, "range" if content.is_range else None
    mapping = mapping_of(machine, atom)
    if mapping is not None:
        return _key_in_turn(mapping, marks)
    if isinstance(atom, Array):
        return _row(machine, atom, value, marks)
    if isinstance(atom, Symbol):
        step = atom.step("[*]", atom.origin)
        size = Size(0, INFINITY, value.marks, None, _length(atom))
        why = "leaves" if TRACED in value.marks else None  # of an array, or a tree of them
        if step is not None:
            return only(step, value.marks | marks), size, why
        return Value((), True, value.marks | marks), size, why
    if isinstance(atom, Object) and isinstance(batch := atom.site.info.get("batch"), Symbol):
        return only(batch, value.marks | marks), Size(marks=value.marks), None
    if isinstance(atom, Constant) and isinstance(atom.value, (str, bytes)):
        kind = "str" if isinstance(atom.value, str) else "int"
        return only(Number(kind), value.marks | marks), fixed(len(atom.value)), None
    if isinstance(atom, Object) and class_of(atom) is not None:
        found = _by_protocol(machine, atom, marks)
        if found is not None:
            return found
        size, dropped = (machine.read((atom.site, name)) for name in (BATCH_SIZE, DROPPED))
        if size is not None and keeps_rest(size, dropped):
            batch = Symbol(Batch(machine.origin(atom.site.span)), (), atom.origin)
            return only(batch, value.marks | marks), Size(marks=value.marks), None
    return Value((), True, value.marks | marks), Size(marks=value.marks), None


def _length(atom: Symbol) -> affine.Affine | None:
    step = atom.step("len")
    return None if step is None else affine.symbol(step)


def _item_in_turn(machine: Machine, content: Tuple, marks: Marks) -> Value:
    each = element_of(content, marks)
    if not marks or len(content.items) < 2:
        return each
    same = len(set(content.items)) == 1
    return each if same and is_stable(machine, content.items[0]) else each.marked(marks)


def _key_in_turn(mapping: Mapping, marks: Marks) -> tuple[Value, Size, Why]:
    keys = join_all(map(value_of_key, mapping.keys))
    if mapping.rest is not None:
        keys = join(keys, UNKNOWN)
    exact = mapping.rest is None
    size = fixed(len(mapping.keys)) if exact else Size(len(mapping.keys))
    return keys.marked(marks if len(mapping.keys) != 1 or not exact else NO_MARKS), size, None


def _row(machine: Machine, atom: Array, value: Value, marks: Marks) -> tuple[Value, Size, Why]:
    varying = value.marks | marks
    if atom.key is not None:
        atom = replace(atom, key=atom.key.step(EACH_ONE) if marks else None)
    if atom.shape is None:
        return of_row(machine, atom, only(row_of(atom), varying)), Size(), "dim"
    if not atom.shape:
        return Value((), True, varying), Size(), None
    row = only(replace(atom, shape=atom.shape[1:]), varying)
    return of_row(machine, atom, row), atom.shape[0], "dim"


def _by_protocol(machine: Machine, atom: Object, marks: Marks) -> tuple[Value, Size, Why] | None:
    """Elements of an instance: from `__iter__`, `__next__` or `__getitem__` of its class."""
    span = atom.site.span
    me = only(atom)
    if defines(machine, atom, "__iter__"):
        iterator = machine.call(machine.attribute(me, "__iter__", span), (), {}, span)
        if atom in iterator.atoms:
            step = machine.attribute(me, "__next__", span)
            return machine.call(step, (), {}, span).marked(marks), Size(), None
        loop = next(iter(marks), None)
        each, size, why = element(machine, iterator, loop)
        return each, size or Size(), why
    if defines(machine, atom, "__getitem__"):
        at = only(Number("int", 0), marks)
        method = machine.attribute(me, "__getitem__", span)
        return machine.call(method, (at,), {}, span).marked(marks), Size(), None
    return None


def _in_turn(machine: Machine, value: Value, marks: Marks, depth: int = 0) -> Value:
    """An element of a sequence, taken in a loop: what differs among the elements varies with it.

    At the top, and among the items of tuples there, all that is not surely the same differs;
    further in, what has marks.
    """
    if depth > _DEPTH or is_stable(machine, value):
        return value
    atoms = tuple(_atom_in_turn(machine, atom, marks, depth) for atom in value.atoms)
    differs = value.marks or not depth or _may_differ(machine, value)
    out = value.marks | marks if differs else value.marks
    return Value(atoms, value.unknown, out, value.choice)


def _may_differ(machine: Machine, value: Value) -> bool:
    if value.unknown:
        return True
    for atom in value.atoms:
        if isinstance(atom, Symbol) and atom.path and str(atom.path[-1]).startswith("[*]"):
            return True
        if isinstance(atom, Object) and is_fresh(machine, atom.site):
            return True
        if isinstance(atom, Array):
            return True
    return False


def _fields_in_turn(machine: Machine, site: Site, marks: Marks) -> None:
    """The arrays of an object that is another one in each iteration: a batch, which a generator or
    a list gives. Only sizes that vary where it is made do so here.
    """
    for name in machine.fields_of(site):
        held = machine.read((site, name))
        atom = held.only if held is not None else None
        if held is None or not isinstance(atom, Array) or not atom.shape:
            continue
        if any(size.marks - marks for size in atom.shape):
            new = _atom_in_turn(machine, atom, marks, 1)
            machine.layers[-1][site, name] = Value((new,), False, held.marks, held.choice)


def _atom_in_turn(machine: Machine, atom: Atom, marks: Marks, depth: int) -> Atom:
    if isinstance(atom, Array) and atom.shape and any(size.marks for size in atom.shape):
        sizes = tuple(
            replace(size, marks=size.marks | marks) if size.marks else size for size in atom.shape
        )
        return replace(atom, shape=sizes)
    if isinstance(atom, Object) and atom.site.kind == "instance":
        _fields_in_turn(machine, atom.site, marks)
    if isinstance(atom, Tuple):
        items = tuple(_in_turn(machine, item, marks, depth + 1) for item in atom.items)
        return replace(atom, items=items)
    return atom
