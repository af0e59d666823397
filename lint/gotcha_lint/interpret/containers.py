"""Tuples, lists, sets, dicts: how they are built, read, changed, unpacked and gone over."""

from __future__ import annotations

from collections.abc import Hashable
from collections.abc import Sequence as Values
from dataclasses import replace
from typing import Any

from gotcha_lint.domain import affine
from gotcha_lint.domain.derivative import flows_in
from gotcha_lint.domain.freshness import added, taken_from
from gotcha_lint.domain.keys import EACH_ONE
from gotcha_lint.domain.sites import Site, Span
from gotcha_lint.domain.value import (
    BOTTOM,
    EACH,
    GROWS,
    INFINITY,
    NO_MARKS,
    NONE,
    UNKNOWN,
    Array,
    Atom,
    Constant,
    Elements,
    Library,
    Mapping,
    Marks,
    Method,
    Number,
    Object,
    Sequence,
    Size,
    Symbol,
    Tuple,
    Value,
    constant,
    fixed,
    is_tree_of_leaf,
    join,
    join_all,
    join_sizes,
    only,
)
from gotcha_lint.interpret.arrays import index, slice_size, unknown_array
from gotcha_lint.interpret.batches import BATCH_SIZE, DROPPED, Batch, keeps_rest
from gotcha_lint.interpret.derivative import at_key, kept
from gotcha_lint.interpret.element_reads import of_row
from gotcha_lint.interpret.faults.checks import check_index, check_mask
from gotcha_lint.interpret.heap import (
    ENTRIES,
    ITEMS,
    Contents,
    add_sizes,
    class_of,
    contents,
    contents_of,
    defines,
    element_of,
    entry,
    is_fresh,
    is_stable,
    key_of,
    mapping_of,
    size_of,
    value_of_key,
    with_any_entry,
    with_entry,
)
from gotcha_lint.interpret.indexing import cut_step, length_of_cut, picked_rows
from gotcha_lint.interpret.keys import key_at, note_some
from gotcha_lint.interpret.machine import Machine, Registers
from gotcha_lint.interpret.own_sizes import row_of, with_rows

MOST_ITEMS = 64  # of a tuple or list whose elements are told apart
MOST_KEYS = 128  # of a dict whose entries are told apart
SLICE = "%slice"
_DEPTH = 5  # of elements in elements

Why = str | None  # why the turns of a loop are known: "range", "dim"


# Building


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


# Growing


EACH_CALL: Marks = frozenset((EACH,))


def growing_in(machine: Machine, site: Site) -> Marks:
    """The open loops that are not around the making of an object: in them it grows."""
    around = site.info.get("around", NO_MARKS)
    elsewhere = site.info.get("frame") is not machine.activation.frame
    each = EACH_CALL if elsewhere else NO_MARKS  # whoever calls this in a loop lets it grow there
    grows = (frozenset(loop for loop, _ in machine.loops) | machine.current | each) - around
    return grows | {(GROWS, loop) for loop in grows}


def shrinks(atom: Atom) -> None:
    """Something is taken out of a list again: nobody knows how long it gets."""
    if isinstance(atom, Object):
        atom.site.info["shrinks"] = True


def only_grows(machine: Machine, value: Value) -> Size | None:
    """How long a list is that loops add to, and that nothing is taken out of."""
    atom = value.only
    content = contents_of(machine, atom) if isinstance(atom, Object) else None
    if not isinstance(atom, Object) or not isinstance(content, Sequence):
        return None
    info = atom.site.info
    if "pushed" not in info or "shrinks" in info or info.get("most") is not None:
        return None
    grows = {mark[1] for mark in content.size.marks if mark[0] == GROWS}
    return content.size if grows & machine.current else None


def push(machine: Machine, site: Site, value: Value, key: Value | None = None) -> None:
    """Adds an element to a list or set, or an entry to a dict that is being made."""
    grows = growing_in(machine, site)
    loop = NO_MARKS
    if grows and machine.loops and machine.loops[-1][0] in grows:
        loop = frozenset((machine.loops[-1][0],))
    elif grows:
        loop = grows
    if site.kind == "dict":
        mapping = mapping_of(machine, Object(site)) or Mapping((), ())
        new = stored(mapping, UNKNOWN if key is None else key, value, loop)
        machine.write((site, ENTRIES), only(new))
        return
    if grows:
        site.info["pushed"] = True
        value = added(value, site.origin, machine.aged)
    content = contents_of(machine, Object(site)) or Tuple(())
    most = site.info.get("most")
    if most is None:
        new = _pushed(content, value, grows, loop)
    else:  # it is full soon, and then stays as long
        new = Sequence(join(element_of(content), value, loop), Size(0, most), content.origin)
    machine.write((site, ITEMS), only(new))


def _pushed(content: Contents, value: Value, grows: Marks, loop: Marks) -> Contents:
    if isinstance(content, Tuple) and not grows and len(content.items) < MOST_ITEMS:
        return Tuple((*content.items, value), content.origin)
    each = join(element_of(content), value, loop)
    old = size_of(content)
    if not grows:
        return Sequence(each, add_sizes(old, fixed(1)), content.origin)
    return Sequence(each, Size(old.low, INFINITY, old.marks | grows), content.origin)


def extend(machine: Machine, site: Site, added: Contents, span: Span | None) -> None:
    """`list.extend(added)`."""
    content = contents_of(machine, Object(site)) or Tuple(())
    grows = growing_in(machine, site)
    if grows:
        old = size_of(content)
        marks = old.marks | grows | size_of(added).marks
        each = join(element_of(content), element_of(added), grows)
        new: Contents = Sequence(each, Size(old.low, INFINITY, marks), content.origin)
    else:
        new = tuple_or_sequence((content, added), content.origin)
    machine.write((site, ITEMS), only(new), span)


def extend_in_place(
    machine: Machine, old: Value, added: Value, registers: Registers, target: int
) -> None:
    """`xs += added` on a list: it keeps its identity, and its contents grow."""
    lists = [a.site for a in old.atoms if isinstance(a, Object) and a.site.kind == "list"]
    if not lists:
        return
    more = spread(machine, added)
    if len(old.atoms) == 1 and not old.unknown:
        extend(machine, lists[0], more, None)
        registers[target] = old
        return
    for site in lists:
        _weakly_extend(machine, site, more)
    others = registers.get(target, UNKNOWN)
    registers[target] = join(others, Value([a for a in old.atoms if _is_list(a)], marks=old.marks))


def _is_list(atom: Atom) -> bool:
    return isinstance(atom, Object) and atom.site.kind == "list"


def _weakly_extend(machine: Machine, site: Site, added: Contents) -> None:
    before = machine.read((site, ITEMS)) or BOTTOM
    extend(machine, site, added, None)
    after = machine.peek((site, ITEMS)) or BOTTOM
    machine.write((site, ITEMS), join(before, after))


# Slices


def is_slice(value: Value) -> bool:
    atom = value.only
    return isinstance(atom, Tuple) and len(atom.items) == 4 and atom.items[0].constant == SLICE


def slice_parts(value: Value) -> tuple[Value, Value, Value]:
    """Low, high and step of a slice."""
    atom = value.only
    if isinstance(atom, Tuple) and len(atom.items) == 4:
        return atom.items[1], atom.items[2], atom.items[3]
    return NONE, NONE, NONE


def _constant_slice(key: Value) -> slice | None:
    parts = slice_parts(key)
    for part in parts:
        if not part.is_none and type(part.constant) is not int:
            return None
    low, high, step = (part.constant for part in parts)
    return None if step == 0 else slice(low, high, step)


def like(machine: Machine, atom: Atom, content: Contents, span: Span, again: bool = False) -> Value:
    """A container of the same kind as this one, with other contents (see `new_container`)."""
    if isinstance(atom, Object) and atom.site.kind in ("list", "set"):
        return new_container(machine, atom.site.kind, content, span, again=again)
    return only(content)


# Items


def item(machine: Machine, base: Value, key: Value, span: Span) -> Value:
    """`base[key]`."""
    length = length_of_cut(base, key)
    if length is not None:
        return length
    out = Value((), True, base.marks | key.marks) if base.unknown else BOTTOM
    for again, atom in enumerate(base.atoms):
        out = join(out, _item_of(machine, atom, base, key, span, bool(again)))
    known = key_of(key)
    if known is not None and isinstance(base.only, (Tuple, Mapping)):
        return out  # the items say themselves with what they vary
    if machine.differentiated and flows_in(key.marks) and isinstance(base.only, Symbol):
        return unknown_array("device", machine.origin(span), base.marks | key.marks)
    is_key = known is not None and not isinstance(known[0], tuple)  # no slice: these are of arrays
    if machine.differentiated and is_key and not isinstance(base.only, Array):
        assert known is not None
        return at_key(out, base.marks, f"[{known[0]!r}]").marked(key.marks)
    return out.marked(base.marks | key.marks)


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
        check_mask(machine, atom, key, span)
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
        return UNKNOWN if at is None else only(at)
    if isinstance(atom, Library):
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
    known = _constant_slice(key)
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
        known = _constant_slice(key)
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
        at = _constant_slice(key) if is_slice(key) else key.constant
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


# Writing items


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


# Going over


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
        if step is not None:
            return only(step, value.marks | marks), size, None
        return Value((), True, value.marks | marks), size, None
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
