"""The standard library: math, time, random, itertools, collections, copy, operator, os."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gotcha_lint.domain import affine
from gotcha_lint.domain.freshness import after, clock_at
from gotcha_lint.domain.met import LoopFacts
from gotcha_lint.domain.value import (
    BOTTOM,
    EACH,
    INFINITY,
    NONE,
    UNKNOWN,
    Constant,
    Library,
    Mapping,
    Marks,
    Number,
    Object,
    Sequence,
    Size,
    Tuple,
    Value,
    constant,
    fixed,
    join,
    join_all,
    only,
)
from gotcha_lint.interpret.arithmetic import binary, compare, unary
from gotcha_lint.interpret.call import Call, family, methods, model
from gotcha_lint.interpret.clocks import note_clock
from gotcha_lint.interpret.containers.aliases import shallow
from gotcha_lint.interpret.containers.building import (
    new_container,
    new_dict,
    spread,
    tuple_or_sequence,
    updated,
)
from gotcha_lint.interpret.containers.items import set_item
from gotcha_lint.interpret.containers.iteration import element
from gotcha_lint.interpret.heap import (
    Contents,
    contents,
    contents_of,
    element_of,
    mapping_of,
    size_of,
)
from gotcha_lint.interpret.host import read
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.models.containers import mapping_from, reordered
from gotcha_lint.interpret.numbers import bounds, quotient, quotient_parts, rounded_up

_MOST_ROWS = 64
_DEPTH = 5  # of containers in containers that are copied
_WHOLE = frozenset(("ceil", "floor", "trunc", "gcd", "lcm", "factorial", "comb", "perm", "isqrt"))
_TRUTHS = frozenset(("isnan", "isinf", "isfinite", "isclose"))
_BUCKETS = frozenset(("log", "log2", "log10"))  # few whole results for many operands


def _each(machine: Machine) -> Marks:
    """What differs at each evaluation."""
    return machine.current | {EACH}


# math


@family("math.")
def math_function(call: Call) -> Value:
    numbers = [value.constant for value in call.args]
    compute = getattr(math, call.short, None)
    known = numbers and all(isinstance(number, (int, float)) for number in numbers)
    if callable(compute) and known and not call.keywords:
        try:
            result = compute(*numbers)
        except (TypeError, ValueError, OverflowError):
            return BOTTOM
        if isinstance(result, (int, float)):
            return constant(result, call.origin).marked(call.marks)
    if call.short in ("ceil", "floor", "trunc"):
        return _rounded(call)
    if call.short == "prod" and call.args:
        return _product(call)
    if call.short in _TRUTHS:
        seen = read(call.engine, call.args, call.span, "float", symbols=False)
        return only(Number("bool", 0, 1), after(call.marks, seen))
    kind = "int" if call.short in _WHOLE else "float"
    low = 0 if call.short in ("sqrt", "exp", "fabs", "isqrt", "factorial") else -INFINITY
    seen = read(call.engine, call.args, call.span, "float", symbols=False)
    marks = frozenset[Any]() if call.short in _BUCKETS else after(call.marks, seen)
    return only(Number(kind, low, INFINITY, None, call.origin), marks)


def _rounded(call: Call) -> Value:
    """`ceil`, `floor`, `trunc`; of `n / b` it is the same as the division of whole numbers."""
    value = call.argument(0, "x")
    atom = value.only
    if not isinstance(atom, Number):
        return only(Number("int", origin=call.origin), value.marks)
    form = atom.affine if atom.type == "int" else None
    parts = quotient_parts(atom)
    if parts is not None:
        form = rounded_up(atom) if call.short == "ceil" else quotient(*parts)
        form = None if call.short == "trunc" and atom.low < 0 else form
    turn = math.ceil if call.short == "ceil" else math.floor
    turn = math.trunc if call.short == "trunc" else turn
    low, high = (b if abs(b) == INFINITY else turn(b) for b in (atom.low, atom.high))
    return only(Number("int", low, high, form, atom.origin or call.origin), value.marks)


def _product(call: Call) -> Value:
    content = spread(call.engine, call.args[0])
    start = call.keyword("start")
    total = constant(1) if start is None else start
    if isinstance(content, Tuple):
        for value in content.items:
            total = binary(call.engine, "Mult", total, value, call.span)
        return total
    each = element_of(content)
    kinds = {atom.type for atom in each.atoms if isinstance(atom, (Constant, Number))}
    kind = "float" if "float" in kinds or each.unknown else "int"
    positive = all(bounds(atom)[0] >= 0 for atom in each.atoms) and not each.unknown
    marks = each.marks | size_of(content).marks
    return only(Number(kind, 0 if positive else -INFINITY, INFINITY, None, call.origin), marks)


# Time and chance

_CLOCKS = (
    "time.time",
    "time.perf_counter",
    "time.monotonic",
    "time.process_time",
    "timeit.default_timer",
)


def _clock_marks(call: Call) -> Marks:
    return _each(call.engine) | {clock_at(call.origin)}


@model(*_CLOCKS)
def clock(call: Call) -> Value:
    note_clock(call.engine, call.span)
    return only(Number("float", 0, INFINITY, None, call.origin), _clock_marks(call))


@model(*(f"{name}_ns" for name in _CLOCKS))
def clock_of_nanoseconds(call: Call) -> Value:
    note_clock(call.engine, call.span)
    return only(Number("int", 0, INFINITY, None, call.origin), _clock_marks(call))


@model("time.strftime", "time.ctime", "uuid.uuid4", "datetime.datetime.now")
def stamp(call: Call) -> Value:
    if call.name.startswith("time."):
        return only(Number("str", origin=call.origin), _each(call.engine))
    if call.short != "now":
        return Value((), True, _each(call.engine))
    note_clock(call.engine, call.span)
    return Value((), True, _clock_marks(call))


@model("logging.getLogger", "absl.logging.get_absl_logger")
def logger(call: Call) -> Value:
    return only(Library("logging.Logger", call.origin))


@model("time.sleep")
def sleep(call: Call) -> Value:
    """A loop that sleeps waits for something to do: its turns are few."""
    for loop, _ in call.engine.loops:
        call.engine.note_loop(loop, LoopFacts(waits=True))
    return NONE


@model("random.seed", "gc.collect", "warnings.warn", "warnings.simplefilter")
def nothing(call: Call) -> Value:
    return NONE


@methods("random.Random")
@family("random.")
def drawn(call: Call) -> Value:
    """A random draw: another value at each evaluation."""
    machine, marks = call.engine, _each(call.engine)
    if call.short == "Random":
        return only(Library("random.Random", call.origin))
    if call.short in ("choice", "choices", "sample"):
        return _chosen(call, marks)
    if call.short in ("randint", "randrange", "getrandbits"):
        low, high = _drawn_bounds(call)
        return only(Number("int", low, high, None, call.origin), marks)
    if call.short == "shuffle":
        _shuffle(call)
        return NONE
    if call.short in ("seed", "setstate"):
        return NONE
    if call.short == "random":
        return only(Number("float", 0, 1, None, call.origin), marks)
    if call.short == "uniform":
        low = min((_edge(value, 0) for value in call.args), default=-INFINITY)
        high = max((_edge(value, 1) for value in call.args), default=INFINITY)
        return only(Number("float", low, high, None, call.origin), marks)
    if call.short == "getstate":
        return Value((), True, marks)
    return only(Number("float", origin=call.origin), machine.current | {EACH})


def _edge(value: Value, side: int) -> float:
    if value.only is None:
        return INFINITY if side else -INFINITY
    return bounds(value.only)[side]


def _drawn_bounds(call: Call) -> tuple[float, float]:
    args = call.args
    if call.short == "getrandbits":
        return 0, INFINITY
    if call.short == "randint" and len(args) > 1:
        return _edge(args[0], 0), _edge(args[1], 1)
    if not args:
        return -INFINITY, INFINITY
    if len(args) == 1:
        return 0, _edge(args[0], 1) - 1
    return _edge(args[0], 0), _edge(args[1], 1) - 1


def _chosen(call: Call, marks: Marks) -> Value:
    given = call.argument(0, "population")
    if call.short == "choice":
        return element(call.engine, given, None)[0].marked(marks)
    count = call.get(1, "k")
    if count is None:
        size = fixed(1)
    else:
        number = count.constant
        size = fixed(number) if type(number) is int and number >= 0 else Size(marks=count.marks)
    each = element(call.engine, given, None)[0].marked(marks)
    return new_container(call.engine, "list", Sequence(each, size, call.origin), call.span)


def _shuffle(call: Call) -> None:
    given = call.argument(0, "x")
    for atom in given.atoms:
        if isinstance(atom, Object) and atom.site.kind == "list":
            content = contents_of(call.engine, atom)
            if content is not None:
                new = reordered(content, False)
                call.engine.write((atom.site, "[]"), only(new), call.span)


# itertools


@model("itertools.chain")
def chained(call: Call) -> Value:
    parts = [spread(call.engine, given) for given in call.args]
    if "*" in call.keywords:
        parts.append(_each_of(call, call.keywords["*"]))
    return only(tuple_or_sequence(parts, call.origin))


@model("itertools.chain.from_iterable")
def chained_from(call: Call) -> Value:
    content = spread(call.engine, call.argument(0, "iterable"))
    if isinstance(content, Tuple):
        parts = [spread(call.engine, value) for value in content.items]
        return only(tuple_or_sequence(parts, call.origin))
    return only(_each_of(call, content.element))


def _each_of(call: Call, value: Value) -> Sequence:
    inner, _, _ = element(call.engine, value, None)
    return Sequence(inner, Size(), call.origin)


@model("itertools.islice")
def sliced(call: Call) -> Value:
    content = spread(call.engine, call.argument(0, "iterable"))
    numbers = [None if value.is_none else value.constant for value in call.args[1:]]
    known = all(v.is_none or type(v.constant) is int for v in call.args[1:]) and numbers
    if isinstance(content, Tuple) and known:
        part = content.items[slice(*numbers)]
        return only(Tuple(part, call.origin))
    size = size_of(content)
    high = numbers[0] if len(numbers) == 1 and type(numbers[0]) is int else INFINITY
    marks = size.marks.union(*(value.marks for value in call.args[1:]))
    return only(Sequence(element_of(content), Size(0, min(size.high, high), marks), call.origin))


@model("itertools.count")
def counted(call: Call) -> Value:
    start, step = call.get(0, "start"), call.get(1, "step")
    a = constant(0) if start is None else start
    b = constant(1) if step is None else step
    symbol = ("range", call.engine.path, call.span)
    first = None if a.only is None else bounds(a.only)[0]
    forms = [v.constant if type(v.constant) is int else None for v in (a, b)]
    terms = [None if form is None else affine.constant(form) for form in forms]
    call.engine.ranges[symbol] = (terms[0], None, terms[1])
    upward = forms[1] is not None and forms[1] > 0 and first is not None
    marks = frozenset((("elements", call.engine.path, call.span),))
    number = Number(
        "int",
        first if upward and first is not None else -INFINITY,
        INFINITY,
        affine.symbol(symbol),
        call.origin,
    )
    return only(Sequence(only(number, marks), Size(), call.origin, is_range=False))


@model("itertools.repeat")
def repeated(call: Call) -> Value:
    times = call.get(1, "times")
    number = None if times is None else times.constant
    size = fixed(max(number, 0)) if type(number) is int else Size()
    return only(Sequence(call.argument(0, "object"), size, call.origin))


@model("itertools.cycle")
def cycled(call: Call) -> Value:
    mark = ("elements", call.engine.path, call.span)
    each, _, _ = element(call.engine, call.argument(0, "iterable"), mark)
    return only(Sequence(each, Size(), call.origin))


@model(
    "itertools.product", "itertools.permutations", "itertools.combinations", "itertools.pairwise"
)
def combined(call: Call) -> Value:
    mark = ("elements", call.engine.path, call.span)
    if call.short == "product":
        return _all_pairs(call, mark)
    each, _, _ = element(call.engine, call.argument(0, "iterable"), mark)
    count = 2 if call.short == "pairwise" else call.argument(1, "r").constant
    if type(count) is int and 0 <= count <= 8:
        return only(Sequence(only(Tuple((each,) * count)), Size(), call.origin))
    return only(Sequence(only(Sequence(each, Size())), Size(), call.origin))


def _all_pairs(call: Call, mark: Any) -> Value:
    found = [contents(call.engine, given) for given in call.args]
    known = [content.items for content in found if isinstance(content, Tuple)]
    simple = "*" not in call.keywords and "repeat" not in call.keywords
    if simple and len(known) == len(found) and math.prod(map(len, known)) <= _MOST_ROWS:
        rows: list[tuple[Value, ...]] = [()]
        for items in known:
            rows = [(*row, value) for row in rows for value in items]
        return only(Tuple(tuple(only(Tuple(row)) for row in rows), call.origin))
    if not simple:
        given = call.keywords.get("*") or join_all(call.args)
        each, _, _ = element(call.engine, given, mark)
        if not call.args:
            each, _, _ = element(call.engine, each, mark)
        return only(Sequence(only(Sequence(each, Size())), Size(), call.origin))
    parts = [element(call.engine, given, mark)[0] for given in call.args]
    return only(Sequence(only(Tuple(tuple(parts))), Size(), call.origin))


@model("itertools.zip_longest")
def zipped_longest(call: Call) -> Value:
    mark = ("elements", call.engine.path, call.span)
    fill = call.keyword("fillvalue") or NONE
    parts = [join(element(call.engine, given, mark)[0], fill) for given in call.args]
    return only(Sequence(only(Tuple(tuple(parts))), Size(), call.origin))


@model("itertools.starmap")
def starmapped(call: Call) -> Value:
    mark = ("elements", call.engine.path, call.span)
    each, size, _ = element(call.engine, call.argument(1, "iterable"), mark)
    row = contents(call.engine, each)
    args = row.items if isinstance(row, Tuple) else (UNKNOWN,)
    result = call.engine.call(call.argument(0, "function"), args, {}, call.span)
    return only(Sequence(result, size or Size(), call.origin))


@model("itertools.accumulate", "itertools.takewhile", "itertools.dropwhile", "itertools.groupby")
def other_iterator(call: Call) -> Value:
    """Calls the function that it is given, with elements."""
    mark = ("elements", call.engine.path, call.span)
    first = call.short in ("takewhile", "dropwhile")
    given = call.argument(1, "iterable") if first else call.argument(0, "iterable")
    each, size, _ = element(call.engine, given, mark)
    function = call.argument(0, "predicate") if first else call.get(1, "func")
    if call.short == "groupby":
        function = function or call.keyword("key")
    result = UNKNOWN
    if function is not None and not function.is_none:
        args = (each, each) if call.short == "accumulate" else (each,)
        result = call.engine.call(function, args, {}, call.span)
    if first:
        high = INFINITY if size is None else size.high
        return only(Sequence(each, Size(0, high, each.marks), call.origin))
    if call.short == "groupby":
        group = only(Sequence(each, Size(0, INFINITY, each.marks)))
        return only(Sequence(only(Tuple((result, group))), Size(), call.origin))
    if function is None:
        result = binary(call.engine, "Add", each, each, call.span)
    return only(Sequence(join(each, result), size or Size(), call.origin))


# functools.reduce


@model("functools.reduce")
def reduced(call: Call) -> Value:
    if len(call.args) < 2:
        return UNKNOWN
    function, given = call.args[:2]
    content = spread(call.engine, given)
    start = call.args[2:3]
    if isinstance(content, Tuple) and len(content.items) <= 16:
        values = (*start, *content.items)
        if not values:
            return BOTTOM
        total = values[0]
        for value in values[1:]:
            total = call.engine.call(function, (total, value), {}, call.span)
        return total
    each = element_of(content)
    total = join_all((*start, each))
    return join(total, call.engine.call(function, (total, each), {}, call.span))


# collections


def _labelled(value: Value, label: str) -> Value:
    """Another type than dict: JAX sees another kind of node."""
    atom = value.only
    if isinstance(atom, Object):
        atom.site.info["label"] = label
    return value


@model("collections.OrderedDict", "collections.Counter")
def ordered_dict(call: Call) -> Value:
    mapping = Mapping((), (), None, call.origin)
    if call.short == "Counter":
        count = only(Number("int", 0))
        return _labelled(
            new_dict(call.engine, Mapping((), (), count, call.origin), call.span), "Counter"
        )
    for given in call.args[:1]:
        mapping = updated(mapping, mapping_from(call, given))
    mapping = updated(mapping, Mapping(tuple(call.keywords), tuple(call.keywords.values())))
    return _labelled(new_dict(call.engine, mapping, call.span), "OrderedDict")


@model("collections.defaultdict")
def default_dict(call: Call) -> Value:
    """A missing entry is what the given function makes."""
    factory = call.get(0, "default_factory")
    made = BOTTOM
    if factory is not None and not factory.is_none:
        made = call.engine.call(factory, (), {}, call.span)
    rest = None if made.is_bottom else made
    mapping = Mapping((), (), rest, call.origin)
    for given in call.args[1:2]:
        mapping = updated(mapping, mapping_from(call, given))
    return _labelled(new_dict(call.engine, mapping, call.span), "defaultdict")


@model("collections.deque")
def deque(call: Call) -> Value:
    content: Contents = Tuple((), call.origin)
    if call.args:
        content = spread(call.engine, call.args[0])
    most = call.get(1, "maxlen")
    bounded = most is not None and not most.is_none
    if bounded:
        content = Sequence(element_of(content), Size(), call.origin)
    made = new_container(call.engine, "list", content, call.span)
    if bounded and most is not None and isinstance(made.only, Object):
        known = most.constant
        made.only.site.info["most"] = known if type(known) is int else INFINITY
    return made


# copy


@model("copy.copy", "copy.deepcopy")
def copied(call: Call) -> Value:
    given = call.argument(0, "x")
    if call.short == "deepcopy":
        return shallow(_copy(call, given, 0), None)
    return shallow(_copy(call, given, _DEPTH), given)


def _copy(call: Call, value: Value, depth: int) -> Value:
    """A copy of a value: new containers and instances; at the last depth with the same parts."""
    out = Value((), value.unknown, value.marks) if value.unknown else BOTTOM
    for atom in value.atoms:
        out = join(out, _copy_of(call, Value((atom,), False, value.marks), depth))
    return out


def _copy_of(call: Call, value: Value, depth: int) -> Value:
    machine, atom = call.engine, value.only
    if atom is None:
        return value

    def part(inner: Value) -> Value:
        return inner if depth >= _DEPTH else _copy(call, inner, depth + 1)

    content = contents_of(machine, atom)
    if content is not None:
        new = (
            Tuple(tuple(map(part, content.items)), content.origin)
            if isinstance(content, Tuple)
            else Sequence(part(content.element), content.size, content.origin)
        )
        if isinstance(atom, Object):
            extra = ("copy", depth, atom.site)
            return new_container(machine, atom.site.kind, new, call.span, extra)
        return only(new, value.marks)
    mapping = mapping_of(machine, atom)
    if mapping is not None:
        rest = None if mapping.rest is None else part(mapping.rest)
        values = tuple(map(part, mapping.values))
        extra = ("copy", depth, atom.site if isinstance(atom, Object) else None)
        found = Mapping(mapping.keys, values, rest, mapping.origin)
        label = atom.site.info.get("label") if isinstance(atom, Object) else None
        made = new_dict(machine, found, call.span, extra)
        return _labelled(made, label) if label else made
    if isinstance(atom, Object) and atom.site.kind == "instance":
        return _copy_instance(call, atom, part)
    return value


def _copy_instance(call: Call, atom: Object, part: Callable[[Value], Value]) -> Value:
    machine = call.engine
    site = machine.allocate("instance", call.span, ("copy", atom.site))
    around = site.info.get("around")
    site.info.update(atom.site.info)
    site.info["around"] = around
    for name in machine.fields_of(atom.site):
        held = machine.read((atom.site, name))
        if held is not None:
            machine.write((site, name), part(held))
    return only(Object(site, call.origin))


# operator

_OPERATORS = {
    "add": "Add",
    "sub": "Sub",
    "mul": "Mult",
    "truediv": "Div",
    "floordiv": "FloorDiv",
    "mod": "Mod",
    "pow": "Pow",
    "matmul": "MatMult",
    "and_": "BitAnd",
    "or_": "BitOr",
    "xor": "BitXor",
}
_COMPARISONS = {
    "eq": "Eq",
    "ne": "NotEq",
    "lt": "Lt",
    "le": "LtE",
    "gt": "Gt",
    "ge": "GtE",
    "is_": "Is",
    "is_not": "IsNot",
}
_UNARY = {"neg": "USub", "pos": "UAdd", "invert": "Invert", "not_": "Not"}


@family("operator.")
def operator_function(call: Call) -> Value:
    machine, args, name = call.engine, call.args, call.short
    if name in ("itemgetter", "attrgetter", "methodcaller"):
        return Value((), True, call.marks)
    if len(args) == 2 and name in _OPERATORS:
        return binary(machine, _OPERATORS[name], args[0], args[1], call.span)
    if len(args) == 2 and name in _COMPARISONS:
        return compare(machine, _COMPARISONS[name], args[0], args[1], call.span)
    if len(args) == 2 and name == "getitem":
        return machine.item(args[0], args[1], call.span)
    if len(args) == 3 and name == "setitem":
        set_item(machine, args[0], args[1], args[2], call.span)
        return NONE
    if len(args) == 2 and name == "contains":
        return compare(machine, "In", args[1], args[0], call.span)
    if len(args) == 1 and name in _UNARY:
        return unary(machine, _UNARY[name], args[0], call.span)
    return Value((), True, call.marks)


# os, sys: what the environment says is unknown but does not change


@model("os.getenv", "os.environ.get")
def environment(call: Call) -> Value:
    default = call.get(1, "default")
    return join(only(Number("str", origin=call.origin)), NONE if default is None else default)


@model("os.path.join", "os.path.basename", "os.path.dirname", "os.path.abspath", "os.getcwd")
def path(call: Call) -> Value:
    return only(Number("str", origin=call.origin), call.marks)


@model("os.path.exists", "os.path.isfile", "os.path.isdir")
def exists(call: Call) -> Value:
    return only(Number("bool", 0, 1), call.marks)


@model("os.getpid", "os.cpu_count")
def count_of_machine(call: Call) -> Value:
    return only(Number("int", 1, INFINITY, None, call.origin))


@model("typing.cast")
def cast_to(call: Call) -> Value:
    return call.argument(1, "val")
