"""What lists, sets and dicts hold, and what the classes of instances define.

A list or set object has its contents at `(site, "[]")`: a `Tuple` where each element is known, a
`Sequence` otherwise. A dict object has a `Mapping` at `(site, "{}")`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from gotcha_lint.domain import affine
from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import (
    BOTTOM,
    FEW,
    NO_MARKS,
    UNKNOWN,
    Array,
    Atom,
    Constant,
    Library,
    Mapping,
    Marks,
    Method,
    Object,
    Sequence,
    Size,
    Tuple,
    Value,
    as_affine,
    constant,
    fixed,
    join,
    join_all,
    join_sizes,
    only,
)
from gotcha_lint.interpret.bindings import Lookup, path_of
from gotcha_lint.interpret.events import Location
from gotcha_lint.interpret.machine import Machine

ITEMS = "[]"
ENTRIES = "{}"
_BASES = 6  # how many generations of base classes are looked at
_DEPTH = 4  # of containers in containers, where marks are collected

Contents = Tuple | Sequence


def contents_of(machine: Machine, atom: Atom) -> Contents | None:
    """The elements of a tuple, list or set; None for what is none of these."""
    if isinstance(atom, (Tuple, Sequence)):
        return atom
    if not isinstance(atom, Object) or atom.site.kind not in ("list", "set"):
        return None
    held = machine.read((atom.site, ITEMS))
    if held is None:
        return Sequence(UNKNOWN, Size())
    return _as_one(held)


def contents(machine: Machine, value: Value) -> Contents | None:
    """The elements of a value that is surely a tuple, list or set; None for all others."""
    found: list[Contents] = []
    for atom in value.atoms:
        content = contents_of(machine, atom)
        if content is None:
            return None
        found.append(content)
    if value.unknown or not found:
        return None
    return merged(found, value.marks)


def merged(found: list[Contents], marks: Marks = NO_MARKS) -> Contents:
    """One of several contents; `marks` is what chooses between them."""
    if len(found) == 1:
        return found[0]
    size = size_of(found[0])
    for content in found[1:]:
        size = join_sizes(size, size_of(content), marks)
    element = join_all(element_of(content, marks) for content in found)
    return Sequence(element.marked(marks), size)


def _as_one(held: Value) -> Contents:
    """What is held at a location, as one alternative; what chooses between several, marks it."""
    found = [atom for atom in held.atoms if isinstance(atom, (Tuple, Sequence))]
    if not found or held.unknown or len(found) < len(held.atoms):
        return Sequence(join(UNKNOWN, join_all(map(element_of, found))), Size(marks=held.marks))
    return merged(found, held.marks)


def element_of(content: Contents, marks: Marks = NO_MARKS) -> Value:
    """Any of the elements; where they differ, it varies with `marks`."""
    if isinstance(content, Sequence):
        return content.element
    out = BOTTOM
    for value in content.items:
        out = join(out, value, marks)
    return out


def size_of(content: Contents) -> Size:
    return fixed(len(content.items)) if isinstance(content, Tuple) else content.size


def mapping_of(machine: Machine, atom: Atom) -> Mapping | None:
    """The entries of a dict; None for what is no dict."""
    if isinstance(atom, Mapping):
        return atom
    if not isinstance(atom, Object) or atom.site.kind != "dict":
        return None
    held = machine.read((atom.site, ENTRIES))
    if held is None:
        return Mapping((), (), UNKNOWN)
    found = [entry for entry in held.atoms if isinstance(entry, Mapping)]
    if not found or held.unknown or len(found) < len(held.atoms):
        return Mapping((), (), join(UNKNOWN, join_all(map(any_entry, found))))
    return merged_mappings(found)


def merged_mappings(found: list[Mapping]) -> Mapping:
    """One of several dicts: the keys that all have, and the rest."""
    first = found[0]
    if len(found) == 1:
        return first
    common = tuple(key for key in first.keys if all(key in other.keys for other in found))
    values = tuple(join_all(entry(other, key) for other in found) for key in common)
    rest = BOTTOM
    for other in found:
        rest = join(rest, other.rest or BOTTOM)
        for key, value in zip(other.keys, other.values, strict=True):
            if key not in common:
                rest = join(rest, value)
    return Mapping(common, values, None if rest.is_bottom else rest, first.origin)


def entry(mapping: Mapping, key: Hashable) -> Value:
    """The value of a key that the dict is known to have."""
    return mapping.values[mapping.keys.index(key)]


def any_entry(mapping: Mapping) -> Value:
    """Any of the values."""
    return join_all((*mapping.values, mapping.rest or BOTTOM))


def with_entry(mapping: Mapping, key: Hashable, value: Value) -> Mapping:
    """The same dict with another value of this key."""
    if key not in mapping.keys:
        keys, values = (*mapping.keys, key), (*mapping.values, value)
        return Mapping(keys, values, mapping.rest, mapping.origin)
    at = mapping.keys.index(key)
    values = (*mapping.values[:at], value, *mapping.values[at + 1 :])
    return Mapping(mapping.keys, values, mapping.rest, mapping.origin)


def without_entry(mapping: Mapping, key: Hashable) -> Mapping:
    kept = [(k, v) for k, v in zip(mapping.keys, mapping.values, strict=True) if k != key]
    keys, values = tuple(k for k, _ in kept), tuple(v for _, v in kept)
    return Mapping(keys, values, mapping.rest, mapping.origin)


def with_any_entry(mapping: Mapping, value: Value, marks: Marks = NO_MARKS) -> Mapping:
    """The same dict after a value is stored under a key that is not known."""
    values = tuple(join(old, value, marks) for old in mapping.values)
    rest = join(mapping.rest or BOTTOM, value, marks)
    return Mapping(mapping.keys, values, rest, mapping.origin)


def key_of(value: Value) -> tuple[Hashable] | None:
    """The key that a value is, wrapped so that the key None is told from "not known"."""
    atom = value.only
    if isinstance(atom, Constant):
        return (atom.value,) if isinstance(atom.value, Hashable) else None
    if isinstance(atom, Tuple):
        parts = [key_of(item) for item in atom.items]
        if all(part is not None for part in parts):
            return (tuple(part[0] for part in parts if part is not None),)
    return None


def value_of_key(key: Hashable) -> Value:
    """A key of a dict as a value."""
    if isinstance(key, tuple):
        return only(Tuple(tuple(value_of_key(part) for part in key)))
    return constant(key)


def add_sizes(a: Size, b: Size) -> Size:
    """The size of two containers, or dimensions, one after the other."""
    first, second = a.constant, b.constant
    if first is not None and second is not None:
        return fixed(first + second, a.origin or b.origin)
    few = None
    if a.few or b.few:
        left = a.few or (frozenset((first,)) if first is not None else None)
        right = b.few or (frozenset((second,)) if second is not None else None)
        if left and right:
            few = frozenset(x + y for x in left for y in right)
            few = few if len(few) <= FEW else None
    left, right = as_affine(a), as_affine(b)
    form = affine.add(left, right)
    marks = a.marks | b.marks
    if form is not None and left is not None and right is not None:
        if not form[0]:
            return fixed(form[1], a.origin or b.origin)
        if left[0] and not {name for name, _ in left[0]} & {name for name, _ in form[0]}:
            marks = marks - a.marks  # the second fills up what the first lacks
    ragged = a.ragged or b.ragged
    origin = a.origin or b.origin
    return Size(a.low + b.low, a.high + b.high, marks, few, form, ragged, origin)


def deep_marks(machine: Machine, values: Iterable[Value], depth: int = 0) -> Marks:
    """What the values vary with, or anything in them: text is made of all that it shows."""
    marks = NO_MARKS
    for value in values:
        marks = marks | value.marks
        if depth < _DEPTH:
            for atom in value.atoms:
                marks = marks | deep_marks(machine, _parts(machine, atom), depth + 1)
    return marks


def _parts(machine: Machine, atom: Atom) -> Iterable[Value]:
    if isinstance(atom, Method):
        return (atom.receiver,)
    content = contents_of(machine, atom)
    if content is not None:
        return content.items if isinstance(content, Tuple) else (content.element,)
    mapping = mapping_of(machine, atom)
    if mapping is not None:
        return (*mapping.values, mapping.rest or BOTTOM)
    return ()


def is_fresh(machine: Machine, site: Site) -> bool:
    """Is it made again in some loop, so that two of its objects need not be the same?"""
    return bool(machine.fresh.get(site) or site.loops)


def is_stable(machine: Machine, value: Value) -> bool:
    """Is it the same value wherever it occurs, so that no iteration can tell two of them apart?"""
    atom = value.only
    if value.marks or atom is None:
        return False
    if isinstance(atom, (Constant, Library)):
        return True
    if isinstance(atom, Object):
        return not is_fresh(machine, atom.site)
    if isinstance(atom, Method):
        return is_stable(machine, atom.receiver)
    if isinstance(atom, Tuple):
        return all(is_stable(machine, item) for item in atom.items)
    return False


def holds_array(value: Value) -> bool:
    return any(isinstance(atom, Array) for atom in value.atoms)


def class_of(atom: Atom) -> Site | None:
    """The project's class of an instance."""
    if isinstance(atom, Object) and atom.site.kind == "instance":
        return atom.site.info.get("class")
    return None


def class_attribute(machine: Machine, cls: Site, name: str) -> Value | None:
    """What a class or its bases say of a name; None where they say nothing.

    Classes may have a hundred bases, so an answer is kept as long as what it read is the same.
    """
    key = cls, name
    known = machine.lookups.get(key)
    if known is not None and known.holds(machine.bindings, machine.loading):
        machine.activation.fixed |= known.places
        return known.value
    places: set[Location] = set()
    found = _in_bases(machine, cls, name, places)
    if places <= machine.activation.fixed:
        paths = frozenset(map(path_of, places))
        kept = frozenset(places)
        machine.lookups[key] = Lookup(found, kept, paths, len(machine.bindings.rebound))
    return found


def _in_bases(
    machine: Machine, cls: Site, name: str, places: set[Location], depth: int = 0
) -> Value | None:
    place = cls.info["frame"], name
    places.add(place)
    found = machine.read(place)
    if found is not None or depth > _BASES:
        return found
    for base in cls.info["bases"]:
        found = _in_bases(machine, base, name, places, depth + 1)
        if found is not None:
            return found
    return None


def defines(machine: Machine, atom: Atom, name: str) -> bool:
    """Has this instance of a project's class a method of that name?"""
    cls = class_of(atom)
    return cls is not None and class_attribute(machine, cls, name) is not None


_MODULES = ("flax.linen", "flax.nnx", "haiku", "equinox")


def in_module_method(machine: Machine) -> bool:
    """Is this a method of a neural network's module? Those are traced, whatever calls them."""
    activation = machine.activation
    parent = activation.function.parent
    if parent is None or not parent.is_class:
        return False
    names = [p.name for p in activation.function.parameters[:1]]
    me = machine.peek((activation.frame, names[0])) if names else None
    for atom in me.atoms if me is not None else ():
        cls = atom.site.info.get("class") if isinstance(atom, Object) else None
        if cls is not None and is_module_class(cls):
            return True
    return False


_CONSTRUCTORS = ("__init__", "__post_init__", "setup")


def constructs_module(machine: Machine) -> bool:
    """Does this function make the layers and weights of a neural network's module?"""
    return machine.activation.function.name in _CONSTRUCTORS and in_module_method(machine)


def is_module_base(name: str) -> bool:
    """The class of a library that modules of neural networks are derived from."""
    return name.startswith(_MODULES) and name.endswith(".Module")


def is_module_class(cls: Site) -> bool:
    """A class of a neural network's module, of flax, haiku or equinox."""
    return any(base.startswith(_MODULES) for base in cls.info["library"])
