"""`jax.tree`: functions over the leaves of trees."""

from __future__ import annotations

from collections.abc import Sequence as Many
from dataclasses import replace

from gotcha_lint.domain.freshness import is_fetched, made_in, without_dispatches, without_histories
from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import (
    BOTTOM,
    LEAF,
    NONE,
    TREE,
    UNKNOWN,
    Array,
    Atom,
    Constant,
    Library,
    Mapping,
    Marks,
    Number,
    Object,
    Sequence,
    Size,
    Symbol,
    Tuple,
    Value,
    is_optimizer_state,
    is_tree_of_leaf,
    join,
    only,
)
from gotcha_lint.interpret.arguments import is_tree
from gotcha_lint.interpret.arrays import unknown_array
from gotcha_lint.interpret.batches import batch_of
from gotcha_lint.interpret.call import Call, alias, model
from gotcha_lint.interpret.containers.aliases import gives_back, shallow
from gotcha_lint.interpret.derivative import kept
from gotcha_lint.interpret.effects import note_update
from gotcha_lint.interpret.faults.half_precision import halves_in
from gotcha_lint.interpret.heap import contents, contents_of, element_of, mapping_of
from gotcha_lint.interpret.layers.linen import COLLECTION, COPIED
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.models.example_gradients import note_mean
from gotcha_lint.interpret.replicated import sums_in
from gotcha_lint.program.data_flow import instructions

_DEPTH = 5

alias(
    {
        "jax.tree_util.tree_map": "jax.tree.map",
        "jax.tree_map": "jax.tree.map",
        "jax.tree_multimap": "jax.tree.map",
        "jax.tree_util.tree_multimap": "jax.tree.map",
        "jax.tree_util.tree_leaves": "jax.tree.leaves",
        "jax.tree_leaves": "jax.tree.leaves",
        "jax.tree_util.tree_reduce": "jax.tree.reduce",
        "jax.tree_util.tree_map_with_path": "jax.tree.map_with_path",
        "optax.tree_utils.tree_map": "jax.tree.map",
        "jax.tree_util.tree_flatten": "jax.tree.flatten",
        "jax.tree_util.tree_unflatten": "jax.tree.unflatten",
        "jax.tree_unflatten": "jax.tree.unflatten",
    }
)


@model("jax.tree.map")
def tree_map(call: Call) -> Value:
    if len(call.args) < 2:
        tree = call.keyword("tree")
        if tree is None or not call.args:
            return UNKNOWN
        return _map(call.engine, call.args[0], [tree], call.span, 0)
    if len(call.args) > 2 and not call.engine.traced and _computes(call.args[0]):
        note_update(call.engine, "tree", call.span)
    made = _map(call.engine, call.args[0], call.args[1:], call.span, 0)
    if len(call.args) > 2:
        return made
    note_mean(call, call.args[0], call.args[1])
    return shallow(made, call.args[1] if gives_back(call.args[0]) else None)


@model("equinox.filter")
def filtered(call: Call) -> Value:
    """The leaves of a tree that a test is true for, in the same tree."""
    atom = call.args[0].only if call.args else None
    if isinstance(atom, Object) and is_tree_of_leaf(atom):
        return call.args[0]
    test = call.args[1].only if len(call.args) > 1 else None
    if isinstance(test, Library) and test.name in _TESTS_OF_ARRAYS:
        return tree_of_arrays(call)
    return Value((), True, call.marks)


_TESTS_OF_ARRAYS = ("equinox.is_array", "equinox.is_inexact_array")  # of the device alone


@model(
    "flax.nnx.state",
    "flax.nnx.to_pure_dict",
    "flax.jax_utils.unreplicate",
    "flax.serialization.to_state_dict",
)
def tree_of_arrays(call: Call) -> Value:
    """A tree of arrays on the device, if it is of what nothing has fetched.

    Nothing is known of what an unknown function gives: it may have fetched it.
    """
    tree = call.args[0] if call.args else UNKNOWN
    known = not tree.unknown and bool(tree.atoms) and not is_fetched(tree.marks)
    if not known or not all(_is_state(call, atom, tree.marks) for atom in tree.atoms):
        return Value((), True, call.marks)
    return _tree_of(call, only(Array(None, False, None, "device", call.origin)), tree.marks)


@model("jax.tree.unflatten")
def unflattened(call: Call) -> Value:
    """A tree of unknown structure, of the arrays in a list."""
    given = contents(call.engine, call.argument(1, "leaves"))
    element = UNKNOWN if given is None else element_of(given)
    arrays = [atom for atom in element.atoms if isinstance(atom, Array)]
    device = all(array.place == "device" for array in arrays) and len(arrays) == len(element.atoms)
    if not arrays or not device or is_fetched(element.marks):
        return Value((), True, call.marks)
    return _tree_of(call, Value(arrays), element.marks)


def _tree_of(call: Call, leaf: Value, marks: Marks) -> Value:
    site = call.engine.allocate("object", call.span, TREE)
    site.info.update({"name": TREE, LEAF: leaf})
    return only(Object(site, call.origin), marks)


def _is_state(call: Call, atom: Atom, marks: Marks) -> bool:
    """A model, or what a caller gives for one."""
    if isinstance(atom, Object) and atom.site.kind == "instance":
        return call.name.startswith("flax.") or bool(made_in(marks))
    return isinstance(atom, Symbol) or is_tree_of_leaf(atom)


def _computes(function: Value) -> bool:
    """A function of the program that does arithmetic."""
    atom = function.only
    if not isinstance(atom, Object) or atom.site.kind != "function":
        return False
    return any(i[0] == "binop" for i in instructions(atom.site.info["function"].body))


@model("jax.tree.map_with_path")
def tree_map_with_path(call: Call) -> Value:
    if len(call.args) < 2:
        return UNKNOWN
    call.engine.call(call.args[0], [UNKNOWN] * len(call.args), {}, call.span)
    return Value((), True, call.marks)


@model("jax.tree.leaves")
def tree_leaves(call: Call) -> Value:
    """A list of arrays; how many is not known."""
    site = call.engine.allocate("list", call.span)
    leaves = _leaves(call.engine, call.argument(0, "tree"), 0)
    call.engine.write((site, "[]"), only(Sequence(leaves, Size())))
    return only(Object(site, call.origin))


@model("jax.tree.reduce")
def tree_reduce(call: Call) -> Value:
    leaf = _leaves(call.engine, call.argument(1, "tree"), 0)
    first = call.get(2, "initializer") or leaf
    return call.engine.call(call.argument(0, "function"), (first, leaf), {}, call.span)


@model("jax.tree.flatten")
def tree_flatten(call: Call) -> Value:
    return only(Tuple((tree_leaves(call), UNKNOWN)))


def _leaves(machine: Machine, tree: Value, depth: int) -> Value:
    out = UNKNOWN if tree.unknown or not tree.atoms or depth > _DEPTH else BOTTOM
    for atom in tree.atoms if depth <= _DEPTH else ():
        content = contents_of(machine, atom)
        mapping = mapping_of(machine, atom) if content is None else None
        if content is not None:
            out = join(out, _leaves(machine, element_of(content), depth + 1))
        elif mapping is not None:
            rest = () if mapping.rest is None else (mapping.rest,)
            for value in (*mapping.values, *rest):
                out = join(out, _leaves(machine, value, depth + 1))
        elif isinstance(atom, Object) and is_tree_of_leaf(atom):
            out = join(out, atom.site.info[LEAF])
        elif is_optimizer_state(atom):
            out = join(out, unknown_array("device", None, tree.marks))
        elif not (isinstance(atom, Constant) and atom.value is None):
            leaf = Value((atom,), False, tree.marks)
            out = join(out, leaf if isinstance(atom, Array) else UNKNOWN)
    return out


def _map(machine: Machine, function: Value, trees: Many[Value], span: Span, depth: int) -> Value:
    """The function over the leaves of the first tree, and what stands in the others there."""
    first = trees[0]
    out = BOTTOM
    for atom in first.atoms:
        if depth < _DEPTH and isinstance(atom, Tuple):
            columns = [contents(machine, tree) for tree in trees]
            out = join(out, only(_map_items(machine, function, atom, columns, span, depth)))
        elif depth < _DEPTH and isinstance(atom, Object) and atom.site.kind == "list":
            out = join(out, _map_list(machine, function, atom, trees, span, depth))
        elif depth < _DEPTH and isinstance(atom, Object) and atom.site.kind == "dict":
            out = join(out, _map_dict(machine, function, atom, trees, span, depth))
        elif isinstance(atom, Constant) and atom.value is None:
            out = join(out, NONE)
        elif batch_of(only(atom)) is not None:
            out = join(out, machine.call(function, (only(atom, first.marks), *trees[1:]), {}, span))
        elif isinstance(atom, (Array, Number, Constant)):
            leaf = Value((atom,), False, first.marks)
            out = join(out, machine.call(function, (leaf, *trees[1:]), {}, span))
        elif depth < _DEPTH and isinstance(atom, Object) and atom.site.kind == "instance":
            out = join(out, _map_instance(machine, function, atom, trees, span, depth))
        else:
            out = join(out, _map_leaf(machine, function, trees, span, depth))
    if first.unknown or not first.atoms:
        out = join(out, _map_leaf(machine, function, trees, span, depth))
    return out


def _map_leaf(
    machine: Machine, function: Value, trees: Many[Value], span: Span, depth: int
) -> Value:
    """Of a tree of unknown structure: what becomes of any leaf, where it has half precision."""
    leaf = machine.call(function, _unknown_leaves(trees), {}, span)
    marks = trees[0].marks
    if leaf.atoms and not leaf.unknown and not any(map(_is_on_device, leaf.atoms)):
        marks = without_dispatches(without_histories(marks))
    if not halves_in(leaf)[0]:
        return Value((), True, marks)
    site = machine.allocate("object", span, (TREE, depth))
    site.info["name"] = TREE
    site.info[LEAF] = join(site.info.get(LEAF, BOTTOM), leaf)
    return only(Object(site, machine.origin(span)), marks)


def _is_on_device(atom: Atom) -> bool:
    return not isinstance(atom, Array) or atom.place == "device"


def _unknown_leaves(trees: Many[Value]) -> list[Value]:
    """One leaf of each tree, of which is known at most by which dispatch it was made."""
    return [_any_leaf(tree) for tree in trees]


def _any_leaf(tree: Value) -> Value:
    atom = tree.only
    if isinstance(atom, Object) and is_tree_of_leaf(atom):
        return atom.site.info[LEAF]
    return Value((), True, made_in(tree.marks) | sums_in(tree.marks))


def _map_instance(
    machine: Machine, function: Value, atom: Object, trees: Many[Value], span: Span, depth: int
) -> Value:
    """A registered class keeps its fields' places; an object of any other class is a leaf."""
    cls = atom.site.info.get("class")
    if cls is not None and not is_tree(cls):
        return machine.call(function, (only(atom), *trees[1:]), {}, span)
    names = [name for name, _ in cls.info["fields"]] if cls is not None else []
    names = names or machine.fields_of(atom.site)
    if not names:
        machine.call(function, _unknown_leaves(trees), {}, span)
        return UNKNOWN
    site = machine.allocate("instance", span, ("tree", depth, cls))
    site.info.update({"class": cls, "name": atom.site.info.get("name")})
    static = set(cls.info["statics"]) if cls is not None else set()
    for name in dict.fromkeys(names):
        row = [kept(machine, machine.read((atom.site, name)) or UNKNOWN, trees[0])]
        row += [machine.attribute(tree, name, span) for tree in trees[1:]]
        mapped = row[0] if name in static else _map(machine, function, row, span, depth + 1)
        machine.write((site, name), mapped)
    return only(Object(site, atom.origin))


def _map_items(
    machine: Machine,
    function: Value,
    items: Tuple,
    columns: Many[Tuple | Sequence | None],
    span: Span,
    depth: int,
) -> Tuple:
    rows: list[Value] = []
    for index in range(len(items.items)):
        row = [items.items[index]]
        for column in columns[1:]:
            if isinstance(column, Tuple) and index < len(column.items):
                row.append(column.items[index])
            else:
                row.append(UNKNOWN)
        rows.append(_map(machine, function, row, span, depth + 1))
    return Tuple(tuple(rows), items.origin)


def _map_list(
    machine: Machine, function: Value, atom: Object, trees: Many[Value], span: Span, depth: int
) -> Value:
    columns = [contents(machine, tree) for tree in trees]
    columns = [_kept_contents(machine, c, tree) for c, tree in zip(columns, trees, strict=True)]
    content = _kept_contents(machine, contents_of(machine, atom), trees[0])
    site = machine.allocate("list", span, ("tree", depth))
    new: Atom
    if isinstance(content, Tuple):
        new = _map_items(machine, function, content, columns, span, depth)
    else:
        row = [UNKNOWN if c is None else element_of(c) for c in (content, *columns[1:])]
        size = Size() if content is None else content.size
        new = Sequence(_map(machine, function, row, span, depth + 1), size)
    machine.write((site, "[]"), only(new))
    return only(Object(site, atom.origin))


def _kept_contents(
    machine: Machine, content: Tuple | Sequence | None, tree: Value
) -> Tuple | Sequence | None:
    if content is None:
        return content
    if isinstance(content, Tuple):
        return replace(content, items=tuple(_of_tree(machine, x, tree) for x in content.items))
    return replace(content, element=_of_tree(machine, content.element, tree))


def _of_tree(machine: Machine, value: Value, tree: Value) -> Value:
    """A part of a container, with what is known of the whole: by which dispatch it was made."""
    return kept(machine, value, tree).marked(made_in(tree.marks))


def _map_dict(
    machine: Machine, function: Value, atom: Object, trees: Many[Value], span: Span, depth: int
) -> Value:
    mappings = [mapping_of(machine, tree.only) if tree.only else None for tree in trees]
    first = mapping_of(machine, atom)
    if first is None:
        machine.call(function, _unknown_leaves(trees), {}, span)
        return UNKNOWN
    values: list[Value] = []
    for key, value in zip(first.keys, first.values, strict=True):
        row = [_of_tree(machine, value, trees[0])]
        for tree, other in zip(trees[1:], mappings[1:], strict=True):
            known = other is not None and key in other.keys
            found = other.values[other.keys.index(key)] if known and other else UNKNOWN
            row.append(_of_tree(machine, found, tree))
        values.append(_map(machine, function, row, span, depth + 1))
    rest, made = None, False
    if first.rest is not None:
        row = [_of_tree(machine, first.rest, trees[0]), *([UNKNOWN] * (len(trees) - 1))]
        made = bool(atom.site.info.get(COLLECTION)) and not row[0].atoms
        if made:  # by `init`: a tree of arrays of the device
            row[0] = unknown_array("device", None, row[0].marks)
        rest = _map(machine, function, row, span, depth + 1)
        if made and rest.atoms and all(map(_is_on_device, rest.atoms)):
            rest, made = Value((), True, rest.marks), False
    label = atom.site.info.get("label")
    site = machine.allocate("dict", span, ("tree", depth, first.keys, label))
    site.info["label"] = label
    site.info[COLLECTION] = atom.site.info.get(COLLECTION, "")
    site.info[COPIED] = bool(site.info.get(COPIED) or atom.site.info.get(COPIED) or made)
    machine.write((site, "{}"), only(Mapping(first.keys, tuple(values), rest, first.origin)))
    return only(Object(site, atom.origin))
