"""Methods of lists, tuples, sets, dicts and text."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from gotcha_lint.domain.freshness import taken_from
from gotcha_lint.domain.value import (
    BOTTOM,
    INFINITY,
    NONE,
    UNKNOWN,
    Constant,
    Library,
    Mapping,
    Number,
    Object,
    Sequence,
    Size,
    Symbol,
    Tuple,
    Value,
    constant,
    fixed,
    join,
    join_all,
    only,
)
from gotcha_lint.interpret.arithmetic import binary
from gotcha_lint.interpret.batches import EACH_ENTRY, batch_of
from gotcha_lint.interpret.call import Call, methods
from gotcha_lint.interpret.containers.aliases import shallow
from gotcha_lint.interpret.containers.building import (
    like,
    new_container,
    new_dict,
    spread,
    spread_mapping,
    stored,
    updated,
)
from gotcha_lint.interpret.containers.growing import extend, growing_in, push, shrinks
from gotcha_lint.interpret.containers.items import item, set_item, symbol_step
from gotcha_lint.interpret.faults.texts import check_fields, marks_of_text
from gotcha_lint.interpret.heap import (
    ENTRIES,
    ITEMS,
    Contents,
    add_sizes,
    any_entry,
    contents_of,
    deep_marks,
    element_of,
    entry,
    key_of,
    mapping_of,
    size_of,
    value_of_key,
    without_entry,
)
from gotcha_lint.interpret.host import read
from gotcha_lint.interpret.host import text as host_text
from gotcha_lint.interpret.indexing import without_rest

_LONGEST = 1000  # characters of text that are computed


# Lists, tuples and sets


def _contents(call: Call) -> Contents:
    found = contents_of(call.engine, call.on) if call.on is not None else None
    return Sequence(UNKNOWN, Size()) if found is None else found


@methods("list", "set")
def list_or_set_method(call: Call) -> Value:
    """Where it is not certain that it is this object, it may keep what it holds."""
    if not isinstance(call.on, Object):
        return UNKNOWN
    machine, location = call.engine, (call.on.site, ITEMS)
    before = machine.peek(location)
    result = _list_method(call) if call.on.site.kind == "list" else _set_method(call)
    after = machine.peek(location)
    changed = before is not None and after is not None and after is not before
    if changed and call.receiver.only is None:
        machine.put(location, join(before or BOTTOM, after or BOTTOM))
    return result


def _list_method(call: Call) -> Value:
    machine, content = call.engine, _contents(call)
    if not isinstance(call.on, Object):
        return UNKNOWN
    site, location = call.on.site, (call.on.site, ITEMS)
    if call.name in ("append", "appendleft"):
        before = machine.peek(location)
        given = call.argument(0, "object")
        push(machine, site, without_rest(given, machine.handled) if machine.handled else given)
        _note_change(call, location, before)
        return NONE
    if call.name in ("extend", "extendleft"):
        extend(machine, site, spread(machine, call.argument(0, "iterable")), call.span)
        return NONE
    if call.name == "insert":
        before = machine.peek(location)
        machine.write(location, only(_inserted(call, content)))
        _note_change(call, location, before)
        return NONE
    if call.name in _SHRINKING:
        shrinks(call.on)
    if call.name in ("pop", "popleft"):
        return _popped(call, content)
    if call.name == "clear":
        machine.write(location, only(Tuple((), content.origin)), call.span)
        return NONE
    if call.name == "remove":
        left = _shorter(content)
        machine.write(location, only(left), call.span)
        return NONE
    if call.name in ("sort", "reverse"):
        return _reordered(call, content)
    return tuple_method(call)


_SHRINKING = frozenset(("pop", "popleft", "clear", "remove"))


def _note_change(call: Call, location: tuple[Hashable, str], before: Value | None) -> None:
    """The write of a method is an event at the call, with what was there before."""
    machine = call.engine
    after = machine.peek(location)
    if after is not None and before is not None:
        machine.put(location, before)
        machine.write(location, after, call.span)


def _inserted(call: Call, content: Contents) -> Contents:
    at, value = call.argument(0, "index").constant, call.argument(1, "object")
    site = call.on.site if isinstance(call.on, Object) else None
    grows = frozenset() if site is None else growing_in(call.engine, site)
    if isinstance(content, Tuple) and type(at) is int and not grows:
        items = list(content.items)
        items.insert(at, value)
        return Tuple(tuple(items), content.origin)
    old = size_of(content)
    grown = Size(old.low, INFINITY, old.marks | grows) if grows else add_sizes(old, fixed(1))
    return Sequence(join(element_of(content), value, grows), grown, content.origin)


def _shorter(content: Contents) -> Contents:
    size = size_of(content)
    low, high = max(size.low - 1, 0), max(size.high - 1, 0)
    return Sequence(element_of(content), Size(low, high, size.marks), content.origin)


def _popped(call: Call, content: Contents) -> Value:
    given = call.get(0, "index")
    at = -1 if given is None else given.constant
    at = 0 if call.name == "popleft" else at
    if not isinstance(call.on, Object):
        return UNKNOWN
    location = (call.on.site, ITEMS)
    in_order = isinstance(content, Tuple) and not growing_in(call.engine, call.on.site)
    if isinstance(content, Tuple) and in_order and _is_place(at, len(content.items)):
        items = list(content.items)
        found = items.pop(at)
        call.engine.write(location, only(Tuple(tuple(items), content.origin)), call.span)
        return found.marked(call.receiver.marks)
    call.engine.write(location, only(_shorter(content)), call.span)
    each = element_of(content, call.engine.current)
    return UNKNOWN if each.is_bottom else each.marked(call.receiver.marks | call.engine.current)


def _is_place(at: object, count: int) -> bool:
    return type(at) is int and -count <= at < count


def _reordered(call: Call, content: Contents) -> Value:
    if call.name == "sort":
        key = call.keyword("key")
        if key is not None:
            call.engine.call(key, (element_of(content),), {}, call.span)
    if isinstance(call.on, Object):
        new = reordered(content, backwards=call.name == "reverse")
        call.engine.write((call.on.site, ITEMS), only(new), call.span)
    return NONE


def reordered(content: Contents, backwards: bool) -> Contents:
    """The elements in another order: turned round, or sorted (by a key that is not known)."""
    if isinstance(content, Tuple):
        if backwards:
            return Tuple(content.items[::-1], content.origin)
        if len(set(content.items)) <= 1:
            return content
    return Sequence(element_of(content), size_of(content), content.origin)


@methods("tuple")
def tuple_method(call: Call) -> Value:
    content = _contents(call)
    if call.name == "copy" and call.on is not None:
        return like(call.engine, call.on, content, call.span)
    if call.name == "count":
        return only(Number("int", 0, size_of(content).high), call.receiver.marks | call.marks)
    if call.name == "index":
        return _place_of(call, content)
    if call.name in ("__len__", "__getitem__", "__iter__"):
        return _dunder(call)
    if call.name in ("close", "send", "throw"):
        return element_of(content).marked(call.engine.current)
    return Value((), True, call.receiver.marks | call.marks)


def _dunder(call: Call) -> Value:
    if call.name == "__getitem__":
        return item(call.engine, call.receiver, call.argument(0, "key"), call.span)
    if call.name == "__len__":
        return call.engine.call(_builtin("len"), (call.receiver,), {}, call.span)
    return call.receiver


def _builtin(name: str) -> Value:
    return only(Library(f"builtins.{name}"))


def _place_of(call: Call, content: Contents) -> Value:
    key = key_of(call.argument(0, "value"))
    if key is not None and isinstance(content, Tuple):
        keys = [key_of(value) for value in content.items]
        if None not in keys and key in keys:
            return constant(keys.index(key), call.origin)
    high = max(size_of(content).high - 1, 0)
    return only(Number("int", 0, high, None, call.origin), call.receiver.marks | call.marks)


def _set_method(call: Call) -> Value:
    machine, content = call.engine, _contents(call)
    if not isinstance(call.on, Object):
        return UNKNOWN
    location = (call.on.site, ITEMS)
    if call.name == "add":
        _add_to_set(call, content, spread_one(call.argument(0, "elem")))
        return NONE
    if call.name == "update":
        for given in call.args:
            _add_to_set(call, _contents(call), spread(machine, given))
        return NONE
    if call.name in ("remove", "discard"):
        machine.write(location, only(_shorter(content)), call.span)
        return NONE
    if call.name == "pop":
        machine.write(location, only(_shorter(content)), call.span)
        return element_of(content).marked(machine.current)
    if call.name == "clear":
        machine.write(location, only(Tuple((), content.origin)), call.span)
        return NONE
    operator = _SET_OPERATORS.get(call.name)
    if operator is not None:
        out = only(call.on)
        for given in call.args:
            other = new_container(machine, "set", spread(machine, given), call.span, "other")
            out = binary(machine, operator, out, other, call.span)
        return out
    if call.name.startswith("is"):
        return only(Number("bool", 0, 1), call.receiver.marks | call.marks)
    return tuple_method(call)


_SET_OPERATORS = {"union": "BitOr", "intersection": "BitAnd", "difference": "Sub"}


def spread_one(value: Value) -> Tuple:
    return Tuple((value,))


def _add_to_set(call: Call, content: Contents, added: Contents) -> None:
    if not isinstance(call.on, Object):
        return
    machine, site = call.engine, call.on.site
    if isinstance(content, Tuple) and isinstance(added, Tuple):
        own = [key_of(value) for value in content.items]
        new = [v for v in added.items if key_of(v) is None or key_of(v) not in own]
        if not new:
            return
        added = Tuple(tuple(new))
    extend(machine, site, added, call.span)


# Dicts


@methods("mapping", "dict")
def dict_method(call: Call) -> Value:
    mapping = mapping_of(call.engine, call.on) if call.on is not None else None
    if mapping is None:
        return UNKNOWN
    if call.name in ("items", "values", "keys"):
        view = only(_view(mapping, call.name))
        return view if call.name == "keys" else taken_from(view, call.receiver)
    if call.name in ("get", "pop", "setdefault", "__getitem__"):
        return _read_entry(call, mapping)
    if call.name == "update":
        _update(call)
        return NONE
    if call.name == "copy":
        return shallow(new_dict(call.engine, mapping, call.span), call.receiver)
    if call.name == "clear":
        _write(call, Mapping((), (), None, mapping.origin))
        return NONE
    if call.name == "popitem":
        _write(call, Mapping((), (), any_entry(mapping), mapping.origin))
        keys = join_all(map(value_of_key, mapping.keys))
        found = Tuple((join(keys, UNKNOWN), any_entry(mapping)))
        return only(found, call.engine.current)
    if call.name == "move_to_end":
        return NONE
    return Value((), True, call.receiver.marks | call.marks)


def _view(mapping: Mapping, what: str) -> Contents:
    keys = tuple(map(value_of_key, mapping.keys))
    if mapping.rest is None:
        if what == "keys":
            return Tuple(keys)
        if what == "values":
            return Tuple(mapping.values)
        pairs = zip(keys, mapping.values, strict=True)
        return Tuple(tuple(only(Tuple(pair)) for pair in pairs))
    size = Size(len(keys))
    any_key = join(join_all(keys), UNKNOWN)
    if what == "keys":
        return Sequence(any_key, size)
    if what == "values":
        return Sequence(any_entry(mapping), size)
    return Sequence(only(Tuple((any_key, any_entry(mapping)))), size)


def _write(call: Call, mapping: Mapping) -> None:
    if isinstance(call.on, Object):
        new = only(mapping)
        if call.receiver.only is None:  # it may be another dict that is changed
            new = join(call.engine.peek((call.on.site, ENTRIES)) or BOTTOM, new)
        call.engine.write((call.on.site, ENTRIES), new, call.span)


def _read_entry(call: Call, mapping: Mapping) -> Value:
    """`get`, `pop`, `setdefault`: the entry, or what is given instead."""
    key = call.argument(0, "key")
    known, given = key_of(key), call.get(1, "default")
    instead = NONE if given is None else given
    if known is not None and known[0] in mapping.keys:
        found = entry(mapping, known[0])
        if call.name == "pop":
            _write(call, without_entry(mapping, known[0]))
        return found.marked(call.receiver.marks)
    if known is not None:
        found = mapping.rest
    else:
        found = BOTTOM
        for value in (*mapping.values, mapping.rest or BOTTOM):
            found = join(found, value, key.marks)
        found = found.marked(key.marks)
    if call.name == "setdefault":
        _write(call, stored(mapping, key, join(found or BOTTOM, instead)))
    if call.name == "pop" and known is None and mapping.keys:
        _write(call, Mapping((), (), any_entry(mapping), mapping.origin))
    certain = call.name == "__getitem__" or (call.name == "pop" and given is None)
    if found is not None and not found.is_bottom and certain:
        return found.marked(call.receiver.marks)
    if certain:
        return UNKNOWN
    return join(found or BOTTOM, instead).marked(call.receiver.marks)


def _update(call: Call) -> None:
    mapping = mapping_of(call.engine, call.on) if call.on is not None else None
    if mapping is None:
        return
    for given in call.args:
        mapping = updated(mapping, mapping_from(call, given))
    names = {k: v for k, v in call.keywords.items() if k != "*"}
    mapping = updated(mapping, Mapping(tuple(names), tuple(names.values())))
    _write(call, mapping)


def mapping_from(call: Call, value: Value) -> Mapping:
    """The entries that `dict(value)` has: of a dict, or of pairs."""
    atom = value.only
    if atom is not None and mapping_of(call.engine, atom) is not None:
        return spread_mapping(call.engine, value)
    content = contents_of(call.engine, atom) if atom is not None else None
    if isinstance(content, Tuple):
        mapping = Mapping((), ())
        for pair in content.items:
            parts = spread(call.engine, pair)
            if not isinstance(parts, Tuple) or len(parts.items) != 2:
                return Mapping((), (), UNKNOWN)
            mapping = stored(mapping, parts.items[0], parts.items[1])
        return mapping
    if isinstance(content, Sequence):
        parts = spread(call.engine, content.element)
        if isinstance(parts, Tuple) and len(parts.items) == 2:
            return Mapping((), (), parts.items[1])
    return spread_mapping(call.engine, value)


# Symbols


_CONVERSIONS = frozenset(
    ("numpy", "_numpy", "detach", "cpu", "contiguous", "float", "long", "int", "to", "astype",
     "copy", "clone", "type", "permute", "transpose")
)  # fmt: skip


@methods("symbol")
def symbol_method(call: Call) -> Value:
    """What a caller gives may be a dict or a list: its usual methods read from it."""
    symbol = call.on
    if not isinstance(symbol, Symbol):
        return UNKNOWN
    unknown = Value((), True, call.receiver.marks | call.marks)
    is_batch = batch_of(call.receiver) is not None
    if is_batch and call.name in _CONVERSIONS:
        return call.receiver
    each = symbol.step(EACH_ENTRY if is_batch else "[*]", call.origin)
    if each is None:
        return unknown
    if call.name == "items":
        key = symbol.step("[*].key", call.origin)
        if key is not None:
            marks = call.receiver.marks
            pair = Tuple((only(key, marks), only(each, marks)))
            return only(Sequence(only(pair), Size()), call.receiver.marks)
    if call.name == "values":
        each_value = only(each, call.receiver.marks)
        return only(Sequence(each_value, Size()), call.receiver.marks)
    if call.name == "get" and call.args:
        step = symbol_step(call.args[0])
        read = None if step is None else symbol.step(step, call.origin)
        if read is not None:
            instead = call.get(1, "default")
            return join(only(read), NONE if instead is None else instead).marked(call.marks)
    if call.name in ("update", "append", "extend", "add", "setdefault"):
        value = call.args[-1] if call.args else UNKNOWN
        set_item(call.engine, only(symbol), UNKNOWN, value, call.span)
        return unknown if call.name == "setdefault" else NONE
    return unknown


# Text

_TEXT_NUMBERS = frozenset(("find", "rfind", "index", "rindex", "count"))
_TEXT_LISTS = frozenset(("split", "rsplit", "splitlines"))
_TEXT_PARTS = frozenset(("partition", "rpartition"))
_COMPUTED = (str, bytes, int, bool)


@methods("str", "bytes")
def text_method(call: Call) -> Value:
    """Text made of text varies with all that it is made of."""
    exact = _computed(call)
    given = (call.receiver, *call.args, *call.keywords.values())
    marks = deep_marks(call.engine, given)
    if exact is not None:
        return exact.marked(marks)
    kind = call.on.type if isinstance(call.on, (Constant, Number)) else "str"
    name = call.name
    if name == "format":
        shown = (*call.args, *call.keywords.values())
        check_fields(call.engine, call.receiver, shown, call.span)
        marks = marks_of_text(call.engine, given)
        seen = read(call.engine, shown, call.span, "format", symbols=False)
        return host_text(marks, seen)
    if name in _TEXT_NUMBERS:
        return only(Number("int", -1 if name in ("find", "rfind") else 0), marks)
    if name.startswith("is") or name in ("startswith", "endswith"):
        return only(Number("bool", 0, 1), marks)
    text = only(Number(kind, origin=call.origin), marks)
    if name in _TEXT_LISTS:
        content = Sequence(text, Size(0, INFINITY, marks), call.origin)
        return new_container(call.engine, "list", content, call.span)
    if name in _TEXT_PARTS:
        return only(Tuple((text, text, text), call.origin))
    if name in ("encode", "decode"):
        return only(Number("bytes" if name == "encode" else "str", origin=call.origin), marks)
    return text


def _computed(call: Call) -> Value | None:
    """The result where all is known."""
    if not isinstance(call.on, Constant) or call.on.type not in ("str", "bytes"):
        return None
    args: list[Hashable] = []
    for given in call.args:
        key = key_of(given)
        if key is None:
            content = contents_of(call.engine, given.only) if given.only is not None else None
            parts = [key_of(v) for v in content.items] if isinstance(content, Tuple) else [None]
            if call.name != "join" or None in parts:
                return None
            key = (tuple(part[0] for part in parts if part is not None),)
        args.append(key[0])
    named = {name: key_of(value) for name, value in call.keywords.items()}
    if None in named.values():
        return None
    method = getattr(call.on.value, call.name, None)
    if method is None or call.name.startswith("_") or call.name in ("translate", "maketrans"):
        return None
    try:
        result = method(*args, **{name: key[0] for name, key in named.items() if key})
    except Exception:  # the program's own mistake: whatever it raises, there is no result
        return BOTTOM
    return _as_value(call, result)


def _as_value(call: Call, result: object) -> Value | None:
    if isinstance(result, _COMPUTED):
        long = isinstance(result, (str, bytes)) and len(result) > _LONGEST
        return None if long else constant(result, call.origin)
    if isinstance(result, (list, tuple)) and len(result) <= 64:
        content = Tuple(tuple(constant(part, call.origin) for part in result), call.origin)
        if isinstance(result, tuple):
            return only(content)
        return new_container(call.engine, "list", content, call.span)
    return None


@methods("number")
def number_method(call: Call) -> Value:
    """Methods of Python numbers."""
    marks = call.receiver.marks | call.marks
    number = call.on
    if call.name == "bit_length":
        if isinstance(number, Constant) and isinstance(number.value, int):
            return constant(number.value.bit_length(), call.origin).marked(marks)
        return only(Number("int", 0, 64, None, call.origin))  # few results: a bucket
    if call.name == "is_integer":
        return only(Number("bool", 0, 1), marks)
    if call.name in ("item", "conjugate") and isinstance(number, (Constant, Number)):
        return only(replace(number, origin=call.origin), marks)
    return Value((), True, marks)
