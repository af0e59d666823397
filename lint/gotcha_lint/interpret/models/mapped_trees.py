"""Trees with an axis less, and with one more: what `vmap`, `scan` and `map` take and give.

Tuples, dicts, and objects of named tuples and of dataclasses that JAX takes apart. What else stands
in a tree stays as it is, or is unknown. What `vmap` cannot map over together is noted (must).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gotcha_lint.domain import affine
from gotcha_lint.domain.sites import Site, Span
from gotcha_lint.domain.value import (
    Array,
    Atom,
    Mapping,
    Object,
    Size,
    Symbol,
    Tuple,
    Value,
    join_all,
    only,
)
from gotcha_lint.interpret.arrays import lead, strip
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.derivative import kept
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.heap import contents, mapping_of
from gotcha_lint.interpret.machine import Machine

_DEPTH = 5
VMAP = "vmap"
Leaf = Callable[[Value], Value]


def one_of(machine: Machine, value: Value, span: Span) -> Value:
    """One of what is stacked: without the leading axis."""
    return map_trees(machine, value, strip, span, "one")


def stacked(machine: Machine, value: Value, size: Size, span: Span) -> Value:
    """Many of these, along a new leading axis."""
    return map_trees(machine, value, lambda one: lead(one, size), span, "stacked")


def leading_size(machine: Machine, value: Value, depth: int = 0) -> Size | None:
    """The size of the leading axis of the arrays in a tree."""
    for atom in value.atoms if depth <= _DEPTH else ():
        if isinstance(atom, Array) and atom.shape:
            return atom.shape[0]
        if isinstance(atom, Symbol):
            length = atom.step("len")
            return Size(affine=affine.symbol(length)) if length is not None else None
        for item in parts_of(machine, atom):
            found = leading_size(machine, item, depth + 1)
            if found is not None:
                return found
    return None


def parts_of(machine: Machine, atom: Atom) -> tuple[Value, ...]:
    if isinstance(atom, Tuple):
        return atom.items
    if not isinstance(atom, Object) or not _is_taken_apart(atom):
        return ()
    mapping = mapping_of(machine, atom)
    if mapping is not None:
        return mapping.values
    fields = (machine.read((atom.site, name)) for name, _ in atom.site.info["class"].info["fields"])
    return tuple(field for field in fields if field is not None)


def map_trees(
    machine: Machine, value: Value, leaf: Leaf, span: Span, what: str, depth: int = 0
) -> Value:
    """`leaf` of all that is no tree; `what`: tells the new objects from others made there."""
    if depth > _DEPTH or not any(_is_taken_apart(atom) for atom in value.atoms):
        return leaf(value)
    out: list[Value] = []
    for atom in value.atoms:
        one = Value((atom,), False, value.marks, value.choice)
        if isinstance(atom, Tuple):
            items = (map_trees(machine, x, leaf, span, what, depth + 1) for x in atom.items)
            out.append(Value((Tuple(tuple(items), atom.origin),), False, leaf(one).marks))
        elif isinstance(atom, Object) and atom.site.kind == "instance":
            out.append(_instance(machine, atom, one, leaf, span, what, depth))
        elif isinstance(atom, Object) and atom.site.kind == "dict":
            out.append(_dict(machine, atom, one, leaf, span, what, depth))
        else:
            out.append(leaf(one))
    if value.unknown:
        out.append(leaf(Value((), True, value.marks)))
    return join_all(out)


def _is_taken_apart(atom: Atom) -> bool:
    if isinstance(atom, Tuple):
        return any(_is_taken_apart(one) for item in atom.items for one in item.atoms)
    if not isinstance(atom, Object):
        return False
    if atom.site.kind == "dict":
        return True
    cls: Site | None = atom.site.info.get("class") if atom.site.kind == "instance" else None
    return cls is not None and _is_record(cls)


def _is_record(cls: Site) -> bool:
    """A named tuple, or a dataclass of Flax: its fields are all that it holds."""
    library = set(cls.info["library"])
    return "typing.NamedTuple" in library or "struct" in cls.info["decorators"]


def _instance(
    machine: Machine, atom: Object, one: Value, leaf: Leaf, span: Span, what: str, depth: int
) -> Value:
    cls = atom.site.info["class"]
    static = set(cls.info["statics"])
    site = machine.allocate("instance", span, (what, depth, cls))
    site.info.update({"class": cls, "name": atom.site.info.get("name")})
    for name in dict.fromkeys(name for name, _ in cls.info["fields"]):
        field = machine.read((atom.site, name))
        if field is not None:
            field = kept(machine, field, one)
            if name not in static:
                field = map_trees(machine, field, leaf, span, what, depth + 1)
            machine.write((site, name), field)
    return Value((Object(site, atom.origin),), False, leaf(one).marks)


def _dict(
    machine: Machine, atom: Object, one: Value, leaf: Leaf, span: Span, what: str, depth: int
) -> Value:
    mapping = mapping_of(machine, atom) or Mapping((), ())
    values = [kept(machine, value, one) for value in mapping.values]
    values = [map_trees(machine, value, leaf, span, what, depth + 1) for value in values]
    rest = mapping.rest
    if rest is not None:
        rest = map_trees(machine, kept(machine, rest, one), leaf, span, what, depth + 1)
    label = atom.site.info.get("label")
    site = machine.allocate("dict", span, (what, depth, mapping.keys, label))
    site.info["label"] = label
    machine.write((site, "{}"), only(Mapping(mapping.keys, tuple(values), rest, mapping.origin)))
    return Value((Object(site, atom.origin),), False, leaf(one).marks)


def check_axes(call: Call, axes: Value | None, needed: float) -> None:
    """`vmap(f, in_axes=(0, None))(x)`: an entry for each positional argument.

    A function that nothing here calls has fewer arguments than it needs.
    """
    content = contents(call.engine, axes) if axes is not None else None
    machine = call.engine
    if not isinstance(content, Tuple) or machine.trying or machine.is_starred(call.span):
        return
    wanted, given = len(content.items), len(call.args)
    if given and (given > wanted or needed <= given < wanted):
        entries = "1 entry" if wanted == 1 else f"{wanted} entries"
        arguments = "1 argument" if given == 1 else f"{given} arguments"
        text = f"`in_axes` has {entries} for {arguments}"
        places = () if content.origin is None else ((*content.origin, "`in_axes`"),)
        remark(machine, "refused", call.span, VMAP, text, places=places)


def check_sizes(call: Call, chosen: tuple[int | None, ...]) -> None:
    """`chosen`: the axis of each argument; None where nothing is mapped, or it is not known."""
    machine = call.engine
    if machine.trying or machine.is_starred(call.span):
        return
    known: dict[int, Array] = {}
    for value, axis in zip(call.args, chosen, strict=True):
        for array in _leaves(call, value, 0) if axis is not None else ():
            shape = array.shape or ()
            if axis is not None and 0 <= axis < len(shape):
                size = shape[axis].constant
                if size is not None:
                    known.setdefault(size, array)
    if len(known) > 1:
        sizes = " and ".join(map(str, sorted(known)))
        places = tuple(
            (*array.origin, f"an axis of size {size}")
            for size, array in sorted(known.items())
            if array.origin is not None
        )
        text = f"the axes that it maps over have {sizes} elements"
        remark(machine, "refused", call.span, VMAP, text, places=places)


def _leaves(call: Call, value: Value, depth: int) -> Iterator[Array]:
    """The arrays in a tree, where each is known."""
    atom = value.only if depth <= _DEPTH and not value.unknown else None
    if isinstance(atom, Array):
        yield atom
    elif atom is not None:
        for part in parts_of(call.engine, atom):
            yield from _leaves(call, part, depth + 1)
