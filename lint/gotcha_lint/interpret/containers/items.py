"""`base[key]` and `base[key] = value`, for each container that the base may be."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from gotcha_lint.domain.derivative import flows_in
from gotcha_lint.domain.sites import Site, Span
from gotcha_lint.domain.tracers import TRACED
from gotcha_lint.domain.value import (
    BOTTOM,
    UNKNOWN,
    Array,
    Atom,
    Constant,
    Elements,
    Library,
    Mapping,
    Method,
    Number,
    Object,
    Sequence,
    Size,
    Symbol,
    Tuple,
    Value,
    constant,
    is_tree_of_leaf,
    join,
    only,
)
from gotcha_lint.interpret.arrays import index, slice_size, unknown_array
from gotcha_lint.interpret.containers.building import like, spread, stored
from gotcha_lint.interpret.containers.grids import GRIDS, grid
from gotcha_lint.interpret.containers.growing import shrinks
from gotcha_lint.interpret.containers.slices import constant_slice, is_slice, slice_parts
from gotcha_lint.interpret.derivative import at_key
from gotcha_lint.interpret.faults.checks import check_index
from gotcha_lint.interpret.faults.traced import check_item, check_mask
from gotcha_lint.interpret.heap import (
    ENTRIES,
    ITEMS,
    Contents,
    class_of,
    contents_of,
    defines,
    element_of,
    entry,
    key_of,
    mapping_of,
    size_of,
)
from gotcha_lint.interpret.indexing import cut_step, length_of_cut, picked_rows
from gotcha_lint.interpret.keys import key_at, note_some
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.own_sizes import row_of, with_rows

# Reading


def item(machine: Machine, base: Value, key: Value, span: Span) -> Value:
    """`base[key]`."""
    check_item(machine, base, key, span)
    length = length_of_cut(base, key)
    if length is not None:
        return length
    out = Value((), True, base.marks | key.marks) if base.unknown else BOTTOM
    for again, atom in enumerate(base.atoms):
        out = join(out, _item_of(machine, atom, base, key, span, bool(again)))
    known = key_of(key)
    if known is not None and isinstance(base.only, (Tuple, Mapping)):
        return out  # the items say themselves with what they vary
    if isinstance(base.only, Symbol) and _is_of_array(machine, base, key, out):
        machine.equations += 1
        return unknown_array("device", machine.origin(span), base.marks | key.marks)
    is_key = known is not None and not isinstance(known[0], tuple)  # no slice: these are of arrays
    if machine.differentiated and is_key and not isinstance(base.only, Array):
        assert known is not None
        return at_key(out, base.marks, f"[{known[0]!r}]").marked(key.marks)
    return out.marked(base.marks | key.marks)


def _is_of_array(machine: Machine, base: Value, key: Value, out: Value) -> bool:
    """Does `base[key]` show that `base` is an array? Then the result is one, too."""
    if machine.differentiated and flows_in(key.marks):
        return True
    atom = key.only
    cuts = isinstance(atom, Tuple) and not is_slice(key) and any(map(is_slice, atom.items))
    return cuts and TRACED in base.marks and out.unknown


def _item_of(
    machine: Machine, atom: Atom, base: Value, key: Value, span: Span, again: bool
) -> Value:
    content = contents_of(machine, atom)
    if content is not None:
        if is_slice(key):
            return _slice_of(machine, atom, content, key, span, again)
        return _element_at(content, key)
    mapping = mapping_of(machine, atom)
    if mapping is not None:
        return _entry_at(mapping, key)
    if isinstance(atom, Array):
        check_index(machine, atom, key, span)
        check_mask(machine, key, span)
        note_some(machine, atom, key, span)
        found = row_of(atom) if atom.shape is None else index(machine, atom, base, key, span)
        elements = row_of(atom).elements
        if elements is None and any(part.is_none for part in _parts_of(key)):
            elements = Elements(made=("expanded", atom.origin))
        rows = picked_rows(machine, key, span) if found.shape is None else None
        if rows is not None:
            picked = with_rows(found, "selection", rows[0])
            return only(replace(picked, origin=machine.origin(span)), rows[1])
        return only(
            replace(found, origin=machine.origin(span), key=key_at(atom, key), elements=elements)
        )
    if isinstance(atom, Symbol):
        return item_of_symbol(machine, atom, key, span)
    if isinstance(atom, Method):
        at = replace(atom, name="at[]") if atom.name == "at" else None
        array = atom.receiver.only
        if at is not None and isinstance(array, Array):
            check_index(machine, array, key, span, write=True)
            check_mask(machine, key, span)
        return UNKNOWN if at is None else only(at)
    if isinstance(atom, Library):
        if atom.name in GRIDS:
            return grid(machine, atom.name, key, span)
        return UNKNOWN if atom.name in ("os.environ", "sys.argv") else only(atom)
    if isinstance(atom, (Constant, Number)):
        return _character(machine, atom, key, span)
    if isinstance(atom, Object) and (atom.site.kind == "class" or is_tree_of_leaf(atom)):
        return only(atom)  # `Generic[T]`; a part of a tree, of which the leaf is known
    if defines(machine, atom, "__getitem__"):
        method = machine.attribute(only(atom), "__getitem__", span)
        return machine.call(method, (key,), {}, span)
    if isinstance(atom, Object) and atom.site.info.get("name") == "dataset":
        return only(atom) if isinstance(key.constant, str) else UNKNOWN  # a split of it
    found = _field_at(machine, atom, key)
    return UNKNOWN if found is None else found


def _parts_of(key: Value) -> tuple[Value, ...]:
    atom = key.only
    return atom.items if isinstance(atom, Tuple) and not is_slice(key) else (key,)


def _slice_of(
    machine: Machine, atom: Atom, content: Contents, key: Value, span: Span, again: bool
) -> Value:
    known = constant_slice(key)
    if isinstance(content, Tuple) and known is not None:
        part: Contents = Tuple(content.items[known], machine.origin(span))
        return like(machine, atom, part, span, again)
    low, high, step = slice_parts(key)
    size = slice_size(machine, size_of(content), low, high, step, span)
    part = Sequence(element_of(content, key.marks), size, machine.origin(span))
    return like(machine, atom, part, span, again)


def _element_at(content: Contents, key: Value) -> Value:
    if isinstance(content, Sequence):
        return content.element
    found = BOTTOM
    count = len(content.items)
    for atom in key.atoms:
        number = atom.value if isinstance(atom, Constant) else None
        if not isinstance(number, int) or not -count <= number < count:
            return element_of(content, key.marks)
        found = join(found, content.items[number], key.marks)
    return element_of(content, key.marks) if key.unknown or found.is_bottom else found


def _entry_at(mapping: Mapping, key: Value) -> Value:
    known = key_of(key)
    if known is None:
        known_keys = [key_of(only(atom)) for atom in key.atoms]
        if key.unknown or None in known_keys or not known_keys:
            found = BOTTOM
            for value in (*mapping.values, mapping.rest or BOTTOM):
                found = join(found, value, key.marks)
            return UNKNOWN if found.is_bottom else found
        found = BOTTOM
        for one in known_keys:
            if one is not None:
                found = join(found, _entry_of(mapping, one[0]), key.marks)
        return found
    return _entry_of(mapping, known[0])


def _entry_of(mapping: Mapping, key: Hashable) -> Value:
    if key in mapping.keys:
        return entry(mapping, key)
    return UNKNOWN if mapping.rest is None else mapping.rest


def item_of_symbol(machine: Machine, atom: Symbol, key: Value, span: Span) -> Value:
    """What is read from a symbol is a symbol; what somebody has stored there comes first."""
    if atom.path[-1:] == (".shape",) and key.constant == 0 and type(key.constant) is int:
        return only(Symbol(atom.root, (*atom.path[:-1], "len"), machine.origin(span)))
    picked = cut_step(machine, atom, key, span) if isinstance(key.only, Array) else None
    step = picked or symbol_step(key) or cut_step(machine, atom, key, span)
    if step is None and atom.path[-1:] == (".at",):
        step = "[at]"
    if step is None:
        return UNKNOWN
    written = machine.read((atom, str(step)))
    anywhere = machine.read((atom, "[?]"))
    if written is None:
        further = atom.step(step, machine.origin(span))
        written = UNKNOWN if further is None else only(further)
    return written if anywhere is None else join(written, anywhere)


def symbol_step(key: Value) -> Hashable | None:
    """The step of a symbol's path that `[key]` is; None where the result is just unknown."""
    if is_slice(key):
        known = constant_slice(key)
        return None if known is None else f"[{known.start}:{known.stop}:{known.step}]"
    known = key_of(key)
    if known is not None:
        return f"[{known[0]!r}]"
    atom = key.only
    if isinstance(atom, Symbol):
        return "[]", atom
    return "[*]" if key.marks else None


def _character(machine: Machine, atom: Constant | Number, key: Value, span: Span) -> Value:
    if atom.type not in ("str", "bytes"):
        return UNKNOWN
    if isinstance(atom, Constant):
        at = constant_slice(key) if is_slice(key) else key.constant
        if isinstance(at, slice) or type(at) is int:
            try:
                return constant(atom.value[at], machine.origin(span))
            except IndexError:
                return BOTTOM
    return only(Number("int" if atom.type == "bytes" and not is_slice(key) else atom.type))


def named_fields(atom: Atom) -> list[str] | None:
    """The fields of an instance of a NamedTuple, in order."""
    cls = class_of(atom)
    if cls is None or not any(name.endswith("NamedTuple") for name in cls.info["library"]):
        return None
    return list(dict.fromkeys(name for name, _ in cls.info["fields"]))


def _field_at(machine: Machine, atom: Atom, key: Value) -> Value | None:
    fields, at = named_fields(atom), key.constant
    if fields is None or not isinstance(atom, Object):
        return None
    if type(at) is not int or not -len(fields) <= at < len(fields):
        return None
    return machine.read((atom.site, fields[at]))


# Writing


def set_item(machine: Machine, base: Value, key: Value, value: Value, span: Span) -> None:
    """`base[key] = value`, for each container that it may be."""
    certain = base.only is not None
    for atom in base.atoms:
        if is_slice(key):
            shrinks(atom)
        if isinstance(atom, Symbol):
            step = symbol_step(key)
            place = "[?]" if step is None or key_of(key) is None else str(step)
            machine.write((atom, place), value, span)
        elif defines(machine, atom, "__setitem__"):
            method = machine.attribute(only(atom), "__setitem__", span)
            machine.call(method, (key, value), {}, span)
        elif isinstance(atom, Object) and atom.site.kind == "dict":
            mapping = mapping_of(machine, atom) or Mapping((), ())
            new = only(stored(mapping, key, value))
            _write(machine, atom.site, ENTRIES, new, certain, span)
        elif isinstance(atom, Object) and atom.site.kind == "list":
            new = only(_with_element(machine, atom, key, value))
            _write(machine, atom.site, ITEMS, new, certain, span)


def _write(machine: Machine, site: Site, place: str, new: Value, certain: bool, span: Span) -> None:
    """Writes the contents; where it is not certain that it is this object, keeps the old ones."""
    if not certain:
        new = join(machine.peek((site, place)) or BOTTOM, new)
    machine.write((site, place), new, span)


def _with_element(machine: Machine, atom: Atom, key: Value, value: Value) -> Contents:
    content = contents_of(machine, atom) or Sequence(UNKNOWN, Size())
    if is_slice(key):
        more = spread(machine, value)
        size = size_of(content) if content == more else Size(marks=size_of(content).marks)
        return Sequence(join(element_of(content), element_of(more)), size, content.origin)
    at = key.constant
    if isinstance(content, Tuple):
        items = list(content.items)
        if type(at) is int and -len(items) <= at < len(items):
            items[at] = value
        else:
            items = [join(old, value, key.marks) for old in items]
        return Tuple(tuple(items), content.origin)
    return replace(content, element=join(content.element, value, key.marks), is_range=False)
