"""Built-in functions on containers and iterators, on text, and the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gotcha_lint.domain import affine
from gotcha_lint.domain.affine import Affine
from gotcha_lint.domain.freshness import after
from gotcha_lint.domain.met import LoopFacts
from gotcha_lint.domain.value import (
    BOTTOM,
    EACH,
    INFINITY,
    NO_MARKS,
    NONE,
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
    all_marks,
    as_affine,
    constant,
    fixed,
    join,
    join_all,
    only,
    value_of,
)
from gotcha_lint.interpret.arithmetic import binary, truth
from gotcha_lint.interpret.batches import is_ragged
from gotcha_lint.interpret.call import Call, model
from gotcha_lint.interpret.containers.aliases import shallow
from gotcha_lint.interpret.containers.building import new_container, new_dict, spread, updated
from gotcha_lint.interpret.containers.items import named_fields
from gotcha_lint.interpret.containers.iteration import element
from gotcha_lint.interpret.faults.set_orders import check_zip
from gotcha_lint.interpret.faults.texts import check_format, marks_of_text
from gotcha_lint.interpret.heap import (
    ITEMS,
    Contents,
    contents,
    contents_of,
    deep_marks,
    defines,
    element_of,
    is_fresh,
    key_of,
    mapping_of,
    size_of,
)
from gotcha_lint.interpret.host import read
from gotcha_lint.interpret.indexing import cut_of
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.models.containers import mapping_from, reordered
from gotcha_lint.interpret.numbers import as_affine_int, bounds, interval

_MOST_CALLS = 16  # elements that a given function is called with one by one


# How long, how many


@model("builtins.len")
def length(call: Call) -> Value:
    if not call.args:
        return UNKNOWN
    value, out = call.args[0], BOTTOM
    for atom in value.atoms:
        out = join(out, _length(call, atom, value))
    if value.unknown or not value.atoms:
        out = join(out, _unknown_length(call, value))
    return out


def _length(call: Call, atom: Atom, value: Value) -> Value:
    machine = call.engine
    content = contents_of(machine, atom)
    if content is not None:
        size = size_of(_named(call, atom, content))
        return value_of(size).marked(value.marks if _is_counted(size) else NO_MARKS)
    mapping = mapping_of(machine, atom)
    if mapping is not None:
        if mapping.rest is None:
            return constant(len(mapping.keys), call.origin)
        return only(Number("int", len(mapping.keys), INFINITY, None, call.origin), value.marks)
    if isinstance(atom, Array) and atom.shape:
        return value_of(atom.shape[0])
    if isinstance(atom, Constant) and isinstance(atom.value, (str, bytes)):
        return constant(len(atom.value), call.origin).marked(value.marks)
    if isinstance(atom, Symbol):
        cut = cut_of(atom)
        if cut is not None and cut[0] == 0:
            return value_of(cut[1])
        step = atom.step("len", call.origin)
        if step is not None:
            form = affine.symbol(step)
            batch = is_ragged(atom)
            looked_at = NO_MARKS if batch is None else frozenset((("ragged", batch),))
            marks = value.marks | looked_at
            return only(Number("int", 0, INFINITY, form, call.origin), marks)
    if defines(machine, atom, "__len__"):
        method = machine.attribute(only(atom), "__len__", call.span)
        return machine.call(method, (), {}, call.span)
    fields = named_fields(atom)
    if fields is not None:
        return constant(len(fields), call.origin)
    return _unknown_length(call, value)


def _named(call: Call, atom: Atom, content: Contents) -> Contents:
    """A list whose length is asked for has a name for it: `xs + [0] * (n - len(xs))` has n items.

    The name holds until something changes the list.
    """
    if not isinstance(atom, Object) or not isinstance(content, Sequence):
        return content
    if content.size.constant is not None or content.size.affine is not None:
        return content
    form = affine.symbol(("items", atom.site, call.span))
    named = replace(content, size=replace(content.size, affine=form))
    call.engine.write((atom.site, ITEMS), only(named))
    return named


def _is_counted(size: Size) -> bool:
    """Is it as large as the index of a loop: of lists that a loop makes, one is not as another."""
    names = size.affine[0] if size.affine is not None else ()
    return any(isinstance(name, tuple) and name[0] == "range" for name, _ in names)


def _unknown_length(call: Call, value: Value) -> Value:
    """The length of something unknown, which is the same whenever this is evaluated with it."""
    form = affine.symbol(("len", call.engine.path, call.span))
    return only(Number("int", 0, INFINITY, form, call.origin), value.marks)


@model("builtins.range")
def range_of(call: Call) -> Value:
    if not call.args:
        return UNKNOWN
    read(call.engine, call.args, call.span, "range", symbols=False)
    start, stop, step = _range_arguments(call)
    a, b, c = start.only, stop.only, step.only
    symbol = ("range", call.engine.path, call.span)
    call.engine.ranges[symbol] = (_form(a), _form(b), _form(c))
    marks = start.marks | stop.marks | step.marks
    low, high = _range_bounds(a, b, c)
    elements = frozenset((("elements", call.engine.path, call.span),))
    each = only(Number("int", low, high, affine.symbol(symbol), call.origin), elements)
    return only(Sequence(each, _range_size(a, b, c, marks), call.origin, is_range=True))


def _range_arguments(call: Call) -> tuple[Value, Value, Value]:
    args = call.args
    if len(args) == 1:
        return constant(0), args[0], constant(1)
    return args[0], args[1], args[2] if len(args) > 2 else constant(1)


def _form(atom: Atom | None) -> Affine | None:
    return None if atom is None else as_affine_int(atom)


def _range_bounds(a: Atom | None, b: Atom | None, c: Atom | None) -> tuple[float, float]:
    start = (-INFINITY, INFINITY) if a is None else bounds(a)
    stop = (-INFINITY, INFINITY) if b is None else bounds(b)
    step = (-INFINITY, INFINITY) if c is None else bounds(c)
    if step[0] > 0:
        return start[0], stop[1] - 1
    if step[1] < 0:
        return stop[0] + 1, start[1]
    return min(start[0], stop[0] + 1), max(start[1], stop[1] - 1)


def _range_size(a: Atom | None, b: Atom | None, c: Atom | None, marks: Marks) -> Size:
    if a is None or b is None or c is None:
        return Size(0, INFINITY, marks)
    parts = [atom.value if isinstance(atom, Constant) else None for atom in (a, b, c)]
    if all(type(part) is int for part in parts) and parts[2]:
        return fixed(len(range(*parts)))  # type: ignore[arg-type]
    if not (isinstance(c, Constant) and c.value == 1):
        return Size(0, INFINITY, marks)
    form = affine.add(as_affine_int(b), as_affine_int(a), -1)
    low, high = interval("Sub", bounds(b), bounds(a))
    origin = b.origin if isinstance(b, (Number, Symbol)) else None
    return Size(max(low, 0), max(high, 0), marks, None, form, None, origin)


# Iteration


@model("builtins.enumerate")
def enumerated(call: Call) -> Value:
    mark = ("elements", call.engine.path, call.span)
    given, start = call.argument(0, "iterable"), call.get(1, "start")
    first = constant(0) if start is None else start
    content = contents(call.engine, given)
    if isinstance(content, Tuple):
        pairs = [
            (binary(call.engine, "Add", first, constant(n), call.span), value)
            for n, value in enumerate(content.items)
        ]
        return only(Tuple(tuple(only(Tuple(pair)) for pair in pairs)))
    each, size, why = element(call.engine, given, mark)
    low, high = bounds(first.only) if first.only is not None else (-INFINITY, INFINITY)
    last = INFINITY if size is None else size.high - 1
    symbol = ("range", call.engine.path, call.span)
    begin = _form(first.only)
    end = None if size is None else affine.add(begin, as_affine(size))
    call.engine.ranges[symbol] = (begin, end, affine.constant(1))
    form = affine.symbol(symbol)
    number = only(Number("int", low, high + last, form, call.origin), frozenset((mark,)))
    return only(Sequence(only(Tuple((number, each))), size or Size(), None, why is not None))


@model("builtins.zip")
def zipped(call: Call) -> Value:
    machine = call.engine
    if "*" in call.keywords:
        return _transposed(call)
    check_zip(call)
    found = [contents(machine, given) for given in call.args]
    known = [content for content in found if isinstance(content, Tuple)]
    if known and len(known) == len(found):
        rows = zip(*(content.items for content in known), strict=False)
        return only(Tuple(tuple(only(Tuple(row)) for row in rows)))
    mark = ("elements", machine.path, call.span)
    parts = [element(machine, given, mark) for given in call.args]
    each = only(Tuple(tuple(part for part, _, _ in parts)))
    size, counted = _shortest([size for _, size, _ in parts]), any(why for *_, why in parts)
    return only(Sequence(each, size, is_range=counted))


def _transposed(call: Call) -> Value:
    """`zip(*rows)` of rows whose number is not known: columns of so many elements."""
    rows = call.keywords["*"]
    row = contents(call.engine, rows)
    if isinstance(row, Tuple):
        return only(Tuple(tuple(only(Sequence(part, Size())) for part in row.items)))
    each, size, _ = element(call.engine, rows, None)
    return only(Sequence(only(Sequence(each, Size())), size or Size()))


def _shortest(sizes: list[Size | None]) -> Size:
    known = [size for size in sizes if size is not None]
    if not known:
        return Size()
    if len(known) < len(sizes):
        return Size(0, min(size.high for size in known))
    if all(size == known[0] for size in known):
        return known[0]
    low, high = min(size.low for size in known), min(size.high for size in known)
    marks = NO_MARKS.union(*(size.marks for size in known))
    return Size(low, high, marks)


@model("builtins.iter")
def iterator(call: Call) -> Value:
    if len(call.args) > 1:  # `iter(function, sentinel)`
        each = call.engine.call(call.args[0], (), {}, call.span)
        return only(Sequence(each.marked(call.engine.current), Size()))
    return call.argument(0, "object")


@model("builtins.next", "builtins.anext")
def next_element(call: Call) -> Value:
    """Another element at each evaluation."""
    given, out = call.argument(0, "iterator"), BOTTOM
    for atom in given.atoms:
        if defines(call.engine, atom, "__next__"):
            step = call.engine.attribute(only(atom), "__next__", call.span)
            out = join(out, call.engine.call(step, (), {}, call.span))
        else:
            out = join(out, element(call.engine, Value((atom,), False, given.marks), None)[0])
    if given.unknown or not given.atoms:
        out = join(out, Value((), True, given.marks))
    if len(call.args) > 1:
        out = join(out, call.args[1])
    same = out.only is not None and isinstance(out.only, Constant)
    return out if same else out.marked(each_evaluation(call.engine))


def each_evaluation(machine: Machine) -> Marks:
    """What differs at each evaluation varies with all loops around it, and with each call."""
    return machine.current | {EACH}


@model("builtins.map")
def mapped(call: Call) -> Value:
    if not call.args:
        return UNKNOWN
    function, given = call.args[0], call.args[1:]
    found = [contents(call.engine, value) for value in given]
    known = [content for content in found if isinstance(content, Tuple)]
    if given and len(known) == len(found):
        rows = list(zip(*(content.items for content in known), strict=False))
        if len(rows) <= _MOST_CALLS:
            results = (call.engine.call(function, row, {}, call.span) for row in rows)
            return only(Tuple(tuple(results)))
    mark = ("elements", call.engine.path, call.span)
    parts = [element(call.engine, value, mark) for value in given]
    result = call.engine.call(function, tuple(part for part, _, _ in parts), {}, call.span)
    return only(Sequence(result, _shortest([size for _, size, _ in parts])))


@model("builtins.filter")
def filtered(call: Call) -> Value:
    if len(call.args) < 2:
        return UNKNOWN
    function, given = call.args[:2]
    content = spread(call.engine, given)
    if isinstance(content, Tuple) and len(content.items) <= _MOST_CALLS:
        kept: list[Value] = []
        decided = True
        for value in content.items:
            passes = truth(_passes(call, function, value))
            decided = decided and passes is not None
            kept += [value] if passes is not False else []
        if decided:
            return only(Tuple(tuple(kept)))
        return only(Sequence(join_all(kept), Size(0, len(kept), all_marks(kept))))
    each = element_of(content)
    _passes(call, function, each)
    size = size_of(content)
    return only(Sequence(each, Size(0, size.high, size.marks | each.marks)))


def _passes(call: Call, function: Value, value: Value) -> Value:
    return value if function.is_none else call.engine.call(function, (value,), {}, call.span)


@model("builtins.sorted")
def sorted_list(call: Call) -> Value:
    content = spread(call.engine, call.argument(0, "iterable"))
    key = call.keyword("key")
    if key is not None and not key.is_none:
        call.engine.call(key, (element_of(content),), {}, call.span)
    exact = _sorted_constants(content) if key is None else None
    if exact is not None and call.keyword("reverse") is None:
        return new_container(call.engine, "list", exact, call.span)
    return new_container(call.engine, "list", reordered(content, False), call.span)


def _sorted_constants(content: Contents) -> Tuple | None:
    if not isinstance(content, Tuple):
        return None
    pairs: list[tuple[Any, Value]] = []
    for value in content.items:
        key = key_of(value)
        if key is None or value.marks:
            return None
        pairs.append((key[0], value))
    try:
        pairs.sort(key=lambda pair: pair[0])
    except TypeError:
        return None
    return Tuple(tuple(value for _, value in pairs), content.origin)


@model("builtins.reversed")
def backwards(call: Call) -> Value:
    return only(reordered(spread(call.engine, call.argument(0, "sequence")), True))


# Containers


@model("builtins.tuple")
def tuple_of(call: Call) -> Value:
    if not call.args:
        return only(Tuple((), call.origin))
    if isinstance(call.args[0].only, Symbol):
        return call.args[0]
    return only(_as_new(spread(call.engine, call.args[0]), call))


@model("builtins.list", "flax.nnx.List")
def list_of(call: Call) -> Value:
    return _container_of(call, "list")


@model("builtins.set", "builtins.frozenset")
def set_of(call: Call) -> Value:
    return _container_of(call, "set")


def _container_of(call: Call, kind: str) -> Value:
    content: Contents = Tuple((), call.origin)
    if call.args:
        content = _as_new(spread(call.engine, call.args[0]), call)
    return new_container(call.engine, kind, content, call.span)


def _as_new(content: Contents, call: Call) -> Contents:
    """The same elements in a new container, which is no range."""
    if isinstance(content, Tuple):
        return Tuple(content.items, call.origin)
    return Sequence(content.element, content.size, call.origin)


@model("builtins.dict")
def dict_of(call: Call) -> Value:
    mapping = Mapping((), (), None, call.origin)
    for given in call.args[:1]:
        mapping = updated(mapping, mapping_from(call, given))
    names = {name: value for name, value in call.keywords.items() if name != "*"}
    mapping = updated(mapping, Mapping(tuple(names), tuple(names.values())))
    return shallow(new_dict(call.engine, mapping, call.span), call.args[0] if call.args else None)


@model("builtins.slice")
def slice_of(call: Call) -> Value:
    parts = (NONE, *call.args) if len(call.args) == 1 else call.args
    parts = (*parts, NONE, NONE, NONE)[:3]
    return only(Tuple((constant("%slice"), *parts)), all_marks(parts))


# Text, input and output, the rest


@model("builtins.print", "builtins.delattr", "builtins.breakpoint")
def nothing(call: Call) -> Value:
    if call.short == "print":
        read(call.engine, call.args, call.span, "print", symbols=False)
    return NONE


@model("builtins.repr", "builtins.format", "builtins.ascii", "builtins.chr", "builtins.hex")
def text(call: Call) -> Value:
    if call.short == "format" and len(call.args) > 1:
        check_format(call.engine, call.args[0], call.span)
    marks = marks_of_text(call.engine, (*call.args, *call.keywords.values()))
    seen = read(call.engine, call.args, call.span, "format", symbols=False)
    return only(Number("str", origin=call.origin), after(marks, seen))


@model("builtins.id", "builtins.hash", "builtins.ord")
def whole_number(call: Call) -> Value:
    marks = deep_marks(call.engine, call.args)
    value = call.argument(0, "object").only
    if call.short == "id" and isinstance(value, Object) and is_fresh(call.engine, value.site):
        marks = marks | call.engine.current
    return only(Number("int", origin=call.origin), marks)


@model("builtins.input")
def typed_in(call: Call) -> Value:
    """A loop that asks somebody waits for the answer."""
    for loop, _ in call.engine.loops:
        call.engine.note_loop(loop, LoopFacts(waits=True))
    return only(Number("str", origin=call.origin), each_evaluation(call.engine))


@model("builtins.vars")
def attributes_of(call: Call) -> Value:
    atom = call.argument(0, "object").only
    if not isinstance(atom, Object) or atom.site.kind != "instance":
        return UNKNOWN
    machine = call.engine
    names = machine.fields_of(atom.site)
    values = tuple(machine.read((atom.site, name)) or UNKNOWN for name in names)
    return new_dict(machine, Mapping(tuple(names), values, None, call.origin), call.span)
