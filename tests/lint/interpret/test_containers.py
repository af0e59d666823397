"""Containers on abstract values hold what Python's do."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gotcha_lint.domain import affine
from gotcha_lint.domain.freshness import clocks_in
from gotcha_lint.domain.value import (
    BOTTOM,
    EACH,
    GROWS,
    INFINITY,
    UNKNOWN,
    Array,
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
    only,
)
from gotcha_lint.interpret import heap, unpacking
from gotcha_lint.interpret.arithmetic import binary
from gotcha_lint.interpret.comparison import compare
from gotcha_lint.interpret.containers import growing, iteration, slices
from gotcha_lint.interpret.containers.items import item, set_item
from gotcha_lint.interpret.heap import contents, mapping_of
from tests.lint.interpret.fake import SPAN, FakeMachine, contains

LOOP = ("file.py", 1, 1)
OTHER = ("file.py", 9, 1)
MARKS = frozenset((LOOP,))
NAME = Symbol(("f", "x"))

leaves = st.one_of(st.integers(-3, 3), st.sampled_from(("a", "b", None, 1.5, True)))
lists = st.lists(leaves, max_size=5)
keys = st.one_of(st.sampled_from(("a", "b", "c")), st.integers(0, 3))
dicts = st.dictionaries(keys, leaves, max_size=4)
ends = st.one_of(st.none(), st.integers(-6, 6))


def slice_key(low: Any, high: Any, step: Any) -> Value:
    parts = (constant(slices.SLICE), constant(low), constant(high), constant(step))
    return only(Tuple(parts))


def any_of(values: list[Value]) -> Value:
    out = BOTTOM
    for value in values:
        out = join(out, value)
    return out


# Reading


@given(lists, st.integers(-6, 6), st.sampled_from((list, tuple)))
def test_an_item_is_that_of_python(concrete: list[Any], at: int, kind: type) -> None:
    machine = FakeMachine()
    value = machine.abstract(kind(concrete))
    if -len(concrete) <= at < len(concrete):
        found = item(machine, value, constant(at), SPAN)
        assert found.constant == concrete[at]
        unknown = item(machine, value, only(Number("int")), SPAN)
        assert contains(machine, unknown, concrete[at])


@given(lists, ends, ends, ends.filter(lambda step: step != 0), st.sampled_from((list, tuple)))
def test_a_slice_is_that_of_python(
    concrete: list[Any], low: Any, high: Any, step: Any, kind: type
) -> None:
    machine = FakeMachine()
    value = machine.abstract(kind(concrete))
    part = item(machine, value, slice_key(low, high, step), SPAN)
    content = contents(machine, part)
    assert isinstance(content, Tuple)
    assert [x.constant for x in content.items] == concrete[low:high:step]
    assert contains(machine, part, kind(concrete[low:high:step]))


@given(dicts, keys)
def test_an_entry_is_that_of_python(concrete: dict[Any, Any], key: Any) -> None:
    machine = FakeMachine()
    value = machine.abstract(concrete)
    assert machine.method(value, "get", constant(key)).constant == concrete.get(key)
    found = machine.method(value, "get", constant(key), constant("other"))
    assert found.constant == concrete.get(key, "other")
    known = compare(machine, "In", constant(key), value, SPAN)
    assert known.constant is (key in concrete)
    if key in concrete:
        assert item(machine, value, constant(key), SPAN).constant == concrete[key]
        anything = item(machine, value, UNKNOWN, SPAN)
        assert contains(machine, anything, concrete[key])


@given(lists, leaves)
def test_membership_is_that_of_python(concrete: list[Any], asked: Any) -> None:
    machine = FakeMachine()
    result = compare(machine, "In", constant(asked), machine.abstract(tuple(concrete)), SPAN)
    assert contains(machine, result, asked in concrete)


@given(lists, lists, st.integers(0, 3))
def test_lists_are_added_and_repeated(a: list[Any], b: list[Any], times: int) -> None:
    machine = FakeMachine()
    x, y = machine.abstract(a), machine.abstract(b)
    assert contains(machine, binary(machine, "Add", x, y, machine.span()), a + b)
    assert contains(machine, binary(machine, "Mult", x, constant(times), machine.span()), a * times)
    assert contains(machine, x, a)


members = st.sets(leaves.filter(lambda x: type(x) is not bool), max_size=4)  # True == 1


@given(members, members)
def test_set_operators_allow_for_what_python_computes(a: set[Any], b: set[Any]) -> None:
    machine = FakeMachine()
    x, y = machine.abstract(a), machine.abstract(b)
    for name, result in (("BitOr", a | b), ("BitAnd", a & b), ("Sub", a - b), ("BitXor", a ^ b)):
        found = contents(machine, binary(machine, name, x, y, machine.span()))
        assert found is not None
        size = heap.size_of(found)
        assert size.low <= len(result) <= size.high
        each = heap.element_of(found)
        assert all(contains(machine, each, item) for item in result)


# Changing

steps = st.lists(
    st.one_of(
        st.tuples(st.just("append"), leaves),
        st.tuples(st.just("extend"), lists),
        st.tuples(st.just("insert"), st.integers(-3, 3), leaves),
        st.tuples(st.just("pop")),
        st.tuples(st.just("pop"), st.integers(-3, 3)),
        st.tuples(st.just("reverse")),
        st.tuples(st.just("clear")),
        st.tuples(st.just("remove"), leaves),
    ),
    max_size=6,
)


@given(lists, steps)
def test_list_methods_do_what_python_does(concrete: list[Any], steps: list[Any]) -> None:
    machine = FakeMachine()
    value = machine.abstract(concrete)
    for name, *args in steps:
        if name == "remove" and args[0] not in concrete:
            continue
        try:
            result = getattr(concrete, name)(*args)
        except IndexError:
            return
        given = [machine.abstract(x) for x in args]
        assert contains(machine, machine.method(value, name, *given), result)
    assert contains(machine, value, concrete)


entries = st.lists(
    st.one_of(
        st.tuples(st.just("set"), keys, leaves),
        st.tuples(st.just("unknown"), keys, leaves),
        st.tuples(st.just("pop"), keys, leaves),
        st.tuples(st.just("setdefault"), keys, leaves),
        st.tuples(st.just("update"), dicts),
        st.tuples(st.just("get"), keys),
    ),
    max_size=6,
)


@given(dicts, entries)
def test_dict_methods_do_what_python_does(concrete: dict[Any, Any], steps: list[Any]) -> None:
    machine = FakeMachine()
    value = machine.abstract(concrete)
    for name, *args in steps:
        given = [machine.abstract(x) for x in args]
        if name in ("set", "unknown"):
            concrete[args[0]] = args[1]
            key = given[0] if name == "set" else UNKNOWN
            set_item(machine, value, key, given[1], SPAN)
            continue
        result = getattr(concrete, name)(*args)
        assert contains(machine, machine.method(value, name, *given), result)
    assert contains(machine, value, concrete)
    items = machine.method(value, "items")
    assert contains(machine, items, tuple(concrete.items()))
    assert contains(machine, machine.method(value, "values"), tuple(concrete.values()))
    assert contains(machine, machine.builtin("len", value), len(concrete))


def test_a_dict_with_unknown_keys_keeps_those_that_it_knows() -> None:
    machine = FakeMachine()
    value = machine.abstract({"a": 1})
    set_item(machine, value, only(Number("str")), constant(2), SPAN)
    atom = value.only
    assert atom is not None
    mapping = mapping_of(machine, atom)
    assert isinstance(mapping, Mapping)
    assert mapping.keys == ("a",)
    found = item(machine, value, constant("a"), SPAN)
    assert {x.value for x in found.atoms if isinstance(x, Constant)} == {1, 2}


def test_a_write_to_one_of_two_dicts_keeps_what_the_other_held() -> None:
    machine = FakeMachine()
    first, second = machine.abstract({"a": 1}), machine.abstract({"a": 1})
    set_item(machine, join(first, second), constant("a"), constant(2), SPAN)
    found = item(machine, first, constant("a"), SPAN)
    assert contains(machine, found, 1)
    assert contains(machine, found, 2)


def test_a_list_that_may_be_another_keeps_what_it_held() -> None:
    machine = FakeMachine()
    first, second = machine.abstract([1]), machine.abstract([2])
    machine.method(join(first, second), "append", constant(3))
    assert contains(machine, first, [1])
    assert contains(machine, first, [1, 3])


def test_slices_of_two_lists_are_joined() -> None:
    machine = FakeMachine()
    both = join(machine.abstract([1, 2]), machine.abstract([3, 4, 5]))
    part = item(machine, both, slice_key(1, None, None), machine.span())
    assert contains(machine, part, [2])
    assert contains(machine, part, [4, 5])
    added = binary(machine, "Add", both, machine.abstract([9]), machine.span())
    assert contains(machine, added, [1, 2, 9])
    assert contains(machine, added, [3, 4, 5, 9])


def test_a_list_that_grows_in_a_loop_has_a_size_that_varies_with_it() -> None:
    machine = FakeMachine()
    value = machine.abstract([0])
    machine.loops.append((LOOP, True))
    machine.method(value, "append", constant(1))
    found = contents(machine, value)
    assert isinstance(found, Sequence)
    assert found.size.marks == MARKS | {(GROWS, LOOP)}
    assert (found.size.low, found.size.high) == (1, INFINITY)
    assert found.element.marks == MARKS  # elements differ


def test_a_list_made_and_filled_in_the_same_turn_is_exact() -> None:
    machine = FakeMachine()
    machine.loops.append((LOOP, True))
    value = machine.abstract([0])
    machine.method(value, "append", constant(1))
    machine.loops.pop()
    assert contents(machine, value) == Tuple((constant(0), constant(1)))


def test_an_augmented_list_keeps_its_identity() -> None:
    machine = FakeMachine()
    value = machine.abstract([1])
    registers = {7: UNKNOWN}
    growing.extend_in_place(machine, value, machine.abstract((2, 3)), registers, 7)
    assert registers[7] is value
    assert contains(machine, value, [1, 2, 3])


# Unpacking


@given(st.lists(leaves, min_size=1, max_size=5), st.data())
def test_unpacking_is_that_of_python(concrete: list[Any], data: st.DataObject) -> None:
    machine = FakeMachine()
    value = machine.abstract(concrete)
    whole = unpacking.unpack(machine, value, len(concrete), None, SPAN)
    assert [x.constant for x in whole] == concrete
    count = data.draw(st.integers(1, len(concrete) + 1))
    star = data.draw(st.integers(0, count - 1))
    parts = unpacking.unpack(machine, value, count, star, SPAN)
    end = star + len(concrete) - (count - 1)
    expected = [*concrete[:star], concrete[star:end], *concrete[end:]]
    assert all(contains(machine, p, x) for p, x in zip(parts, expected, strict=True))


def test_what_is_unpacked_from_a_symbol_is_a_symbol() -> None:
    machine = FakeMachine()
    parts = unpacking.unpack(machine, only(NAME), 2, None, SPAN)
    assert [x.only for x in parts] == [NAME.step("[0]"), NAME.step("[1]")]


# Symbols


def test_items_of_a_symbol_are_stable_symbols() -> None:
    machine = FakeMachine()

    def read(key: Value) -> Value:
        return item(machine, only(NAME), key, SPAN)

    assert read(constant("lr")).only == NAME.step("['lr']")
    assert read(slice_key(None, 10, None)).only == NAME.step("[None:10:None]")
    assert read(only(Symbol(("f", "y")))).only == NAME.step(("[]", Symbol(("f", "y"))))
    varying = read(only(Number("int"), MARKS))
    assert varying.only == NAME.step("[*]")
    assert varying.marks == MARKS
    assert read(UNKNOWN).unknown
    set_item(machine, only(NAME), constant("lr"), constant(0.1), SPAN)
    assert read(constant("lr")).constant == 0.1


def test_the_length_of_a_symbol_is_a_number() -> None:
    machine = FakeMachine()
    length = machine.builtin("len", only(NAME)).only
    assert isinstance(length, Number)
    assert length.affine == affine.symbol(NAME.step("len"))


def test_elements_of_a_symbol_vary_with_the_loop() -> None:
    machine = FakeMachine()
    each, turns, _ = iteration.element(machine, only(NAME), LOOP)
    assert each.only == NAME.step("[*]")
    assert each.marks == MARKS
    assert turns is not None
    assert turns.affine == affine.symbol(NAME.step("len"))


# Going over


@given(lists)
def test_an_element_is_any_of_the_elements(concrete: list[Any]) -> None:
    machine = FakeMachine()
    value = machine.abstract(concrete)
    each, turns, _ = iteration.element(machine, value, LOOP)
    assert turns == fixed(len(concrete))
    assert all(contains(machine, each, x) for x in concrete)
    differ = len({(type(x), x) for x in concrete}) > 1
    assert (each.marks == MARKS) is differ


@pytest.mark.parametrize(
    ("args", "expected"),
    [((5,), range(5)), ((2, 9, 3), range(2, 9, 3)), ((9, 2, -2), range(9, 2, -2)), ((0,), [])],
)
def test_a_range_counts(args: tuple[int, ...], expected: Any) -> None:
    machine = FakeMachine()
    value = machine.builtin("range", *map(constant, args))
    each, turns, why = iteration.element(machine, value, LOOP)
    assert turns == fixed(len(expected))
    assert why == "range"
    assert LOOP in each.marks
    for atom in each.atoms:
        assert isinstance(atom, Number)
        assert all(atom.low <= x <= atom.high for x in expected)


def test_a_range_to_a_symbol_has_that_length() -> None:
    machine = FakeMachine()
    _, turns, _ = iteration.element(machine, machine.builtin("range", only(NAME)), LOOP)
    assert turns is not None
    assert turns.affine == affine.symbol(NAME)
    assert turns.marks == frozenset()


def test_rows_of_an_array_vary_and_keep_their_shape() -> None:
    machine = FakeMachine()
    array = Array("float32", False, (fixed(4), fixed(3)))
    each, turns, why = iteration.element(machine, only(array), LOOP)
    assert each.only == Array("float32", False, (fixed(3),))
    assert each.marks == MARKS
    assert (turns, why) == (fixed(4), "dim")


def test_only_what_differs_among_the_elements_varies() -> None:
    machine = FakeMachine()
    function = machine.function(lambda: UNKNOWN)
    number = only(Number("int", 0, 9), frozenset((OTHER,)))
    pairs = only(Sequence(only(Tuple((function, number))), Size()))
    each, _, _ = iteration.element(machine, pairs, LOOP)
    first, second = unpacking.unpack(machine, each, 2, None, SPAN)
    assert first.marks == frozenset()
    assert second.marks == {LOOP, OTHER}
    first = item(machine, each, constant(0), SPAN)
    assert first.marks == frozenset()


def test_sizes_that_differ_among_the_elements_vary() -> None:
    machine = FakeMachine()
    short, full = (Array("float32", False, (fixed(n),)) for n in (3, 8))
    each, _, _ = iteration.element(machine, only(Tuple((only(full), only(short)))), LOOP)
    array = each.only
    assert isinstance(array, Array)
    assert array.shape is not None
    assert array.shape[0].few == {3, 8}
    assert array.shape[0].marks == MARKS


def test_next_gives_another_element_at_each_evaluation() -> None:
    machine = FakeMachine()
    machine.current = MARKS
    assert machine.builtin("next", UNKNOWN).marks == {LOOP, EACH}
    marks = machine.builtin("time.time").marks
    assert marks - clocks_in(marks) == {LOOP, EACH}


# Functions on containers


@given(lists, lists)
def test_functions_on_containers_are_those_of_python(a: list[Any], b: list[Any]) -> None:
    machine = FakeMachine()
    x, y = machine.abstract(a), machine.abstract(b)
    assert machine.builtin("len", x).constant == len(a)
    assert contains(machine, machine.builtin("zip", x, y), tuple(zip(a, b, strict=False)))
    numbered = machine.builtin("enumerate", x, start=constant(3))
    assert contains(machine, numbered, tuple(enumerate(a, 3)))
    assert contains(machine, machine.builtin("reversed", x), tuple(reversed(a)))
    assert contains(machine, machine.builtin("list", x), a)
    assert contains(machine, machine.builtin("tuple", x), tuple(a))
    assert contains(machine, machine.builtin("any", x), any(a))
    assert contains(machine, machine.builtin("all", x), all(a))
    assert contains(machine, machine.builtin("itertools.chain", x, y), tuple(a + b))
    pairs = tuple((p, q) for p in a for q in b)
    assert contains(machine, machine.builtin("itertools.product", x, y), pairs)


@given(st.lists(st.integers(-5, 5), max_size=5))
def test_sorted_is_that_of_python(concrete: list[int]) -> None:
    machine = FakeMachine()
    value = machine.abstract(concrete)
    assert contains(machine, machine.builtin("sorted", value), sorted(concrete))
    backwards = machine.builtin("sorted", value, reverse=constant(True))
    assert contains(machine, backwards, sorted(concrete, reverse=True))


def test_given_functions_are_called() -> None:
    machine = FakeMachine()
    called: list[Value] = []

    def double(x: Value) -> Value:
        called.append(x)
        return binary(machine, "Mult", x, constant(2), SPAN)

    function, numbers = machine.function(double), machine.abstract([1, 2, 3])
    assert contains(machine, machine.builtin("map", function, numbers), (2, 4, 6))
    assert len(called) == 3
    machine.builtin("sorted", numbers, key=function)
    machine.builtin("max", numbers, key=function)
    assert len(called) == 7
    odd = machine.function(lambda x: binary(machine, "Mod", x, constant(2), SPAN))
    assert contains(machine, machine.builtin("filter", odd, numbers), (1, 3))
    add = machine.function(lambda x, y: binary(machine, "Add", x, y, SPAN))
    assert machine.builtin("functools.reduce", add, numbers).constant == 6


def test_rows_of_unknown_number_are_transposed() -> None:
    machine = FakeMachine()
    row = only(Tuple((constant("a"), only(Number("int")))))
    columns = machine.builtin("zip", **{"*": row})
    first, second = unpacking.unpack(machine, columns, 2, None, SPAN)
    for column, value in ((first, "a"), (second, 3)):
        each, _, _ = iteration.element(machine, column, None)
        assert contains(machine, each, value)


@pytest.mark.parametrize(
    ("concrete", "name", "expected"),
    [
        (1, "int", True),
        (True, "int", True),
        (1, "float", False),
        ("a", "str", True),
        ((1,), "tuple", True),
        ((1,), "list", False),
        ([1], "list", True),
        ({}, "dict", True),
        (None, "dict", False),
        (None, "object", True),
    ],
)
def test_isinstance_is_answered_where_the_class_is_known(
    concrete: Any, name: str, expected: bool
) -> None:
    machine = FakeMachine()
    value, cls = machine.abstract(concrete), only(Library(f"builtins.{name}"))
    assert machine.builtin("isinstance", value, cls).constant is expected
    several = only(Tuple((only(Library("builtins.bytes")), cls)))
    assert machine.builtin("isinstance", value, several).constant is expected
    assert machine.builtin("isinstance", UNKNOWN, cls).constant is None


def test_isinstance_tells_arrays_from_trees() -> None:
    machine = FakeMachine()
    array = only(Array("float32", False, (fixed(3),)))
    for name, expected in (("jax.Array", True), ("numpy.ndarray", False), ("builtins.dict", False)):
        assert machine.builtin("isinstance", array, only(Library(name))).constant is expected


def test_attributes_by_name() -> None:
    machine = FakeMachine()
    site = machine.allocate("object", SPAN)
    target = only(Object(site))
    machine.builtin("setattr", target, constant("rate"), constant(3))
    assert machine.peek((site, "rate")) == constant(3)
    assert machine.builtin("hasattr", constant("a"), constant("upper")).constant is True
    assert machine.builtin("callable", constant(3)).constant is False
    assert machine.builtin("callable", machine.function(lambda: UNKNOWN)).constant is True
    assert machine.builtin("print", target) == constant(None)


def test_a_deep_copy_shares_no_container() -> None:
    machine = FakeMachine()
    value = machine.abstract([[1], {"a": 2}])
    copied = machine.builtin("copy.deepcopy", value)
    assert contains(machine, copied, [[1], {"a": 2}])
    inner = item(machine, copied, constant(0), SPAN)
    machine.method(inner, "append", constant(5))
    assert contains(machine, value, [[1], {"a": 2}])
    assert not contains(machine, copied, [[1], {"a": 2}])


@given(
    st.sampled_from(("upper", "strip", "split", "title", "isdigit")), st.text("aB 1", max_size=6)
)
def test_text_methods_are_those_of_python(name: str, text: str) -> None:
    machine = FakeMachine()
    concrete = getattr(text, name)()
    assert contains(machine, machine.method(constant(text), name), concrete)
    varying = machine.method(only(Number("str"), MARKS), name)
    assert contains(machine, varying, concrete)
    joined = machine.method(constant("-"), "join", machine.abstract(["a", text]))
    assert joined.constant == f"a-{text}"
