"""Arguments of a compiled call, taken apart as JAX does: the leaves of the tree, static values.

Taken apart at the call, since the contents of lists and objects change later. Leaves that a caller
gives stay symbols, and are taken apart when the caller is known (see `substitution`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import (
    BOTTOM,
    EACH,
    FEW,
    GROWS,
    INFINITY,
    NO_MARKS,
    Array,
    Atom,
    Constant,
    Mapping,
    Marks,
    Method,
    Number,
    Object,
    Sequence,
    Symbol,
    Tuple,
    Value,
    join_sizes,
    only,
)
from gotcha_lint.interpret.arrays import CANONICAL, PYTHON_DTYPES
from gotcha_lint.interpret.batches import batch_of
from gotcha_lint.interpret.heap import class_attribute, contents, contents_of, mapping_of
from gotcha_lint.interpret.leaves import Leaf, Leaves, Static
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.own_sizes import rows_of
from gotcha_lint.interpret.start.importable import Modules
from gotcha_lint.program.links import Links
from gotcha_lint.program.plain_classes import is_plain_class

_DEPTH = 5
_FURTHEST = 12  # a module in a list in a module in a list is six steps away; each is met once
_BY_IDENTITY = ("optimizer", "function", "transform", "instance")


def flatten(
    machine: Machine, value: Value, path: str, leaves: Leaves, statics: list[Static], depth: int = 0
) -> None:
    """Takes a traced argument apart into `leaves`."""
    leaf = leaves.setdefault(path, Leaf())
    if depth > _DEPTH:
        return
    leaf.unknown = leaf.unknown or value.unknown or not value.atoms
    if value.choice:
        leaf.marks |= value.choice | value.marks
    for atom in value.atoms:
        if isinstance(atom, Symbol):
            leaf.symbols = (*leaf.symbols, (atom, value.marks))
        elif isinstance(atom, (Constant, Number)) and atom.type in PYTHON_DTYPES:
            leaf.kinds.setdefault("leaf", atom.origin)
            leaf.ranks.add(0)
            leaf.dtypes.setdefault(PYTHON_DTYPES[atom.type], atom.origin)
            leaf.weaks.setdefault(atom.type != "bool", atom.origin)
        elif isinstance(atom, Array):
            _array(atom, leaf, value.marks)
        elif isinstance(atom, Constant) and atom.value is None:
            leaf.kinds.setdefault("None", atom.origin)
        else:
            _node(machine, atom, value, path, leaves, statics, depth)


def _array(atom: Array, leaf: Leaf, marks: Marks) -> None:
    leaf.kinds.setdefault("leaf", atom.origin)
    leaf.shapeless = leaf.shapeless or atom.shape is None
    if atom.dtype is not None:
        leaf.dtypes.setdefault(CANONICAL.get(atom.dtype, atom.dtype), atom.origin)
        leaf.weaks.setdefault(atom.weak, atom.origin)
    leaf.untyped = leaf.untyped or atom.dtype is None
    leaf.ranks.add(None if atom.shape is None else len(atom.shape))
    rows = rows_of(atom, marks)
    if rows is not None:
        axis, size = rows
        leaf.sizes.setdefault((0, axis), (size, atom.origin))
    for axis, size in enumerate(atom.shape or ()):
        key = len(atom.shape or ()), axis
        old = leaf.sizes.get(key)
        leaf.sizes[key] = (
            join_sizes(old[0], size) if old else size,
            (old and old[1]) or atom.origin,
        )


def _node(
    machine: Machine,
    atom: Atom,
    value: Value,
    path: str,
    leaves: Leaves,
    statics: list[Static],
    depth: int,
) -> None:
    """A container or an object."""
    leaf = leaves[path]
    if isinstance(atom, Object) and atom.site.kind == "dict":
        stored = machine.read((atom.site, "{}"))
        alternatives = [x for x in stored.atoms if isinstance(x, Mapping)] if stored else []
        if len(alternatives) > 1:
            for mapping in alternatives:
                if mapping.rest is None:
                    leaf.kinds.setdefault(_keys("dict", mapping), atom.origin or mapping.origin)
            return
    content = contents_of(machine, atom)
    mapping = mapping_of(machine, atom) if content is None else None
    if content is not None:
        kind = "list" if isinstance(atom, Object) else "tuple"
        origin = content.origin or atom.origin
        if isinstance(content, Tuple):
            leaf.kinds.setdefault(f"{kind} of {len(content.items)}", origin)
            for index, item in enumerate(content.items):
                flatten(machine, item, f"{path}[{index}]", leaves, statics, depth + 1)
        else:
            leaf.kinds.setdefault(f"{kind} of many", origin)
            grows = frozenset(
                mark[1]
                for mark in content.size.marks
                if isinstance(mark, tuple) and mark[0] == GROWS
            )
            if grows and content.size.constant is None:
                statics.append(Static(path, "length", grows, None, origin))
            flatten(machine, content.element, f"{path}[*]", leaves, statics, depth + 1)
    elif mapping is not None:
        label = (isinstance(atom, Object) and atom.site.info.get("label")) or "dict"
        kind = _keys(label, mapping) if mapping.rest is None else label
        leaf.kinds.setdefault(kind, atom.origin or mapping.origin)
        for key, item in zip(mapping.keys, mapping.values, strict=True):
            flatten(machine, item, f"{path}[{key!r}]", leaves, statics, depth + 1)
        others = mapping.rest or BOTTOM
        for part in others.atoms:
            if batch_of(only(part)) is not None:
                rest = only(part, others.marks)
                flatten(machine, rest, f"{path}[...]", leaves, statics, depth + 1)
    elif isinstance(atom, Object) and atom.site.kind == "optimizer":
        if "data" in atom.site.info:  # of nnx: a tree that holds the optimizer of optax
            leaf.kinds.setdefault("class Optimizer", atom.origin)
            static_data(machine, atom.site.info["data"], path, statics)
    elif isinstance(atom, Object) and depth and _is_made_of_function(atom.site):
        static_data(machine, only(atom, value.marks), path, statics)  # no array, so it is compared
    elif isinstance(atom, Object) and atom.site.kind == "instance":
        _instance(machine, atom, value, path, leaves, statics, depth)


def _is_made_of_function(site: Site) -> bool:
    """A function, or what a transform made of one; a `Partial` of JAX is a tree."""
    is_tree_of_parts = site.info.get("library") == "jax.tree_util.Partial"
    return site.kind in ("function", "transform") and not is_tree_of_parts


def static_numbers(
    machine: Machine,
    value: Value,
    path: str,
    leaves: Leaves,
    statics: list[Static],
    filtered: bool,
    depth: int = 0,
) -> None:
    """Fields of modules that hold Python numbers, where these are compared and not traced.

    `filtered`: the jit takes all that is no array like this; modules of NNX are always taken so.
    """
    atom = value.only
    if not isinstance(atom, Object) or atom.site.kind != "instance" or depth > _FIELDS:
        return
    cls = atom.site.info.get("class")
    compared = filtered or (cls is not None and "nnx" in " ".join(cls.info["library"]))
    for field in machine.fields_of(atom.site):
        held, label = machine.read((atom.site, field)), f"{path}.{field}"
        if held is None:
            continue
        if compared and held.atoms and all(map(_is_number, held.atoms)) and not held.unknown:
            static_parts(machine, held, label, statics)
            leaves.pop(label, None)
        else:
            static_numbers(machine, held, label, leaves, statics, filtered, depth + 1)


def _is_number(atom: Atom) -> bool:
    return isinstance(atom, (Constant, Number)) and atom.type in PYTHON_DTYPES


_FIELDS = 3  # modules in modules


def _keys(label: str, mapping: Mapping) -> str:
    return f"{label} {','.join(sorted(map(str, mapping.keys)))}"


def _instance(
    machine: Machine,
    atom: Object,
    value: Value,
    path: str,
    leaves: Leaves,
    statics: list[Static],
    depth: int,
) -> None:
    site = atom.site
    cls = site.info.get("class")
    if cls is not None and path.isidentifier() and value.only is atom and is_plain(machine, cls):
        statics.append(Static(path, "no tree", NO_MARKS, None, cls.origin, cls))
    name = cls.info["name"] if cls is not None else site.info.get("name", "")
    leaves[path].kinds.setdefault(f"class {name}", atom.origin)
    if cls is not None and _by_tree_flatten(machine, atom, cls, path, leaves, statics, depth):
        return
    fields = [field for field, _ in cls.info["fields"]] if cls is not None else []
    static = {*(cls.info["statics"] if cls is not None else ()), *site.info.get("statics", ())}
    if not fields or "statics" in site.info:
        fields = list(machine.fields_of(site))
    for each in fields:
        stored = machine.read((site, each))
        if stored is not None and each in static:
            static_data(machine, stored, f"{path}.{each}", statics)
        elif stored is not None:
            flatten(machine, stored, f"{path}.{each}", leaves, statics, depth + 1)


def _by_tree_flatten(
    machine: Machine,
    atom: Object,
    cls: Site,
    path: str,
    leaves: Leaves,
    statics: list[Static],
    depth: int,
) -> bool:
    """Takes an object apart as its `tree_flatten` says: children, and static data."""
    method = class_attribute(machine, cls, "tree_flatten")
    if method is None:
        return False
    parts = machine.call(method, (only(atom),), {}, cls.span).only
    if not isinstance(parts, Tuple) or len(parts.items) != 2:
        return False
    children, data = parts.items
    content = contents(machine, children)
    for index, item in enumerate(content.items if isinstance(content, Tuple) else ()):
        flatten(machine, item, f"{path}[{index}]", leaves, statics, depth + 1)
    content = contents(machine, data)
    for item in content.items if isinstance(content, Tuple) else (data,):
        static_data(machine, item, path, statics)
    return True


def static_data(machine: Machine, value: Value, label: str, statics: list[Static]) -> None:
    """What a tree holds besides its leaves: compared like a static argument.

    Functions, methods and optimizers are compared by identity.
    """
    for atom in value.atoms:
        owner = atom.receiver.only if isinstance(atom, Method) else atom
        if isinstance(owner, Object) and owner.site.kind in _BY_IDENTITY:
            statics.append(Static(label, "data", value.marks, owner.site, owner.origin))


def is_tree(cls: Site) -> bool:
    """Can JAX take an object of this class apart? Also where it is not known."""
    library = " ".join(cls.info["library"])
    words = ("NamedTuple", "nnx", "equinox", "haiku", "PyTree", "Module", "State", "?")
    return "struct" in cls.info["decorators"] or any(word in library for word in words)


def is_plain(machine: Machine, cls: Site) -> bool:
    """Surely nothing that JAX can take apart."""
    if is_tree(cls):
        return False
    links = Links(Modules(machine), machine.texts)
    return is_plain_class(links, machine.visible, cls.info["function"])


def has_value_hash(machine: Machine, cls: Site) -> bool:
    """Do equal fields give the same key? A class of its own `__hash__`, frozen, a named tuple."""
    library = " ".join(cls.info["library"])
    if any(word in ("frozen", "struct") for word in cls.info["decorators"]):
        return True
    if any(word in library for word in ("NamedTuple", "Enum", "flax.linen", "?")):
        return True
    return own_hash(machine, cls)


def own_hash(machine: Machine, cls: Site) -> bool:
    return class_attribute(machine, cls, "__hash__") is not None


def is_unhashable(machine: Machine, cls: Site) -> bool:
    """It compares by values and is not frozen: Python takes its hash away."""
    if cls.info["library"]:
        return False
    found = [_own(machine, each, name) for each in _line(cls) for name in ("__hash__", "__eq__")]
    first = next((value for value in found if value is not None), None)
    if first is None:
        words = cls.info["decorators"]
        return "dataclass" in words and {"frozen", "struct", "identity", "?"}.isdisjoint(words)
    return found.index(first) % 2 == 1 or first.is_none


def _own(machine: Machine, cls: Site, name: str) -> Value | None:
    return machine.read((cls.info["frame"], name))


def _line(cls: Site, depth: int = 0) -> Iterator[Site]:
    """A class and those above it, near ones first."""
    yield cls
    for base in cls.info["bases"] if depth < _DEPTH else ():
        yield from _line(base, depth + 1)


def static_parts(
    machine: Machine, value: Value, label: str, statics: list[Static], depth: int = 0
) -> None:
    """Takes a static argument apart into what its hash depends on."""
    if depth > 3:
        return
    if not depth and len(value.atoms) > 2 and all(map(_is_float, value.atoms)):
        first = value.atoms[0]
        marks = value.marks | value.choice
        statics.append(Static(label, "few", marks, origin=first.origin, value=value))
    for atom in value.atoms:
        if isinstance(atom, Symbol):
            statics.append(Static(label, "symbol", value.marks, origin=atom.origin, value=value))
        elif isinstance(atom, Number):
            few = atom.type == "bool" or (atom.type == "int" and atom.high - atom.low < FEW)
            if value.marks and not few:
                names = atom.affine[0] if atom.affine else ()
                counted = any(_counts(name, atom) for name, _ in names)
                unbounded = atom.type == "float" or atom.high == INFINITY
                counted = counted or EACH in value.marks or (unbounded and _grows(value.marks))
                statics.append(
                    Static(label, "value", value.marks, None, atom.origin, certain=counted)
                )
        elif isinstance(atom, Array):
            if atom.place == "device" or atom.shape:
                statics.append(Static(label, "unhashable", NO_MARKS, None, atom.origin))
        elif isinstance(atom, Tuple):
            for index, item in enumerate(atom.items):
                static_parts(machine, item, f"{label}[{index}]", statics, depth + 1)
        elif isinstance(atom, Object):
            _static_object(machine, atom, value, label, statics, depth)


def _is_float(atom: Atom) -> bool:
    return isinstance(atom, Constant) and atom.type == "float"


def _counts(name: Any, number: Number) -> bool:
    """Does this part make the number another one each time? What is limited may end there."""
    if isinstance(name, tuple) and name[:1] in (("max",), ("min",)):
        return INFINITY in (abs(number.low), abs(number.high)) and any(
            _counts(inner, number) for form in name[1:] for inner, _ in form[0]
        )
    return not isinstance(name, Symbol)


def _grows(marks: Marks) -> bool:
    """Does it follow from the length of a container that grows?"""
    return any(isinstance(mark, tuple) and mark[0] == GROWS for mark in marks)


def _static_object(
    machine: Machine, atom: Object, value: Value, label: str, statics: list[Static], depth: int
) -> None:
    site = atom.site
    if site.kind == "instance" and site.info.get("class") is not None:
        cls = site.info["class"]
        if is_unhashable(machine, cls):
            statics.append(Static(label, "unhashable", NO_MARKS, site, site.origin, cls))
        elif not has_value_hash(machine, cls):
            statics.append(Static(label, "object", value.marks, site, site.origin, cls))
        elif not own_hash(machine, cls):
            for each in machine.fields_of(site):
                stored = machine.read((site, each))
                if stored is not None:
                    static_parts(machine, stored, f"{label}.{each}", statics, depth + 1)
    elif site.kind in ("optimizer", "function", "transform", "object"):
        statics.append(Static(label, "object", value.marks, site, site.origin))
    elif site.kind in ("list", "dict", "set"):
        statics.append(Static(label, "unhashable", NO_MARKS, site, site.origin))


def reachable(machine: Machine, values: Iterable[Value]) -> set[Site]:
    """All objects that the arguments lead to: what a trace reads of them is no capture."""
    found: set[Site] = set()
    for value in values:
        _reach(machine, value, found, 0)
    return found


def _reach(machine: Machine, value: Value, found: set[Site], depth: int) -> None:
    if depth > _FURTHEST:
        return
    for atom in value.atoms:
        if isinstance(atom, Object) and atom.site not in found:
            found.add(atom.site)
        elif not isinstance(atom, (Tuple, Sequence, Mapping)):
            continue
        for part in _parts(machine, atom):
            _reach(machine, part, found, depth + 1)


def _parts(machine: Machine, atom: Atom) -> Iterator[Value]:
    if isinstance(atom, Tuple):
        yield from atom.items
    elif isinstance(atom, Sequence):
        yield atom.element
    elif isinstance(atom, Mapping):
        yield from atom.values
        if atom.rest is not None:
            yield atom.rest
    elif isinstance(atom, Object):
        names: Iterable[Any] = machine.fields_of(atom.site)
        for name in names:
            stored = machine.read((atom.site, name))
            if stored is not None:
                yield stored
