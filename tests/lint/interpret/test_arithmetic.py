"""Operators on abstract values allow for what Python computes."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gotcha_lint.domain import affine
from gotcha_lint.domain.value import (
    INFINITY,
    Constant,
    Number,
    Object,
    Symbol,
    Tuple,
    Value,
    constant,
    join,
    leq,
    only,
)
from gotcha_lint.interpret.arithmetic import binary, unary
from gotcha_lint.interpret.comparison import compare, truth
from gotcha_lint.interpret.numbers import product, quotient, remainder, substituted
from tests.lint.interpret.fake import SPAN, FakeMachine, contains, evaluate

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
    "BitAnd": operator.and_,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
}
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
}
LOOP = frozenset((("file.py", 1, 1),))

whole = st.integers(-30, 30)
real = st.floats(-30, 30, allow_nan=False).map(lambda x: round(x, 3))
texts = st.text("ab%", max_size=3)


@st.composite
def numbers(draw: st.DrawFn) -> tuple[Value, Any]:
    """A number, and an abstract value that allows for it."""
    kind = draw(st.sampled_from((int, float, bool)))
    number = draw({int: whole, float: real, bool: st.booleans()}[kind])
    form = draw(st.sampled_from(("constant", "interval", "several", "half")))
    if form == "constant":
        return constant(number), number
    if form == "several":
        return join(constant(number), constant(draw(whole))), number
    low, high = draw(st.integers(0, 9)), draw(st.integers(0, 9))
    if kind is bool:
        return only(Number("bool", 0, 1)), number
    top = INFINITY if form == "half" else number + high
    return only(Number(kind.__name__, number - low, top)), number


@st.composite
def sums(draw: st.DrawFn) -> affine.Affine:
    """A sum of the symbols n and m."""
    n, m = affine.symbol("n"), affine.symbol("m")
    out = affine.add(affine.scale(n, draw(whole)), affine.scale(m, draw(st.integers(-3, 3))))
    return affine.add(out, affine.constant(draw(whole))) or affine.ZERO


sizes = st.fixed_dictionaries({"n": st.integers(1, 50), "m": st.integers(1, 50)})


@given(st.sampled_from(sorted(BINARY)), numbers(), numbers())
def test_a_binary_operator_allows_for_what_python_computes(
    name: str, x: tuple[Value, Any], y: tuple[Value, Any]
) -> None:
    machine = FakeMachine()
    try:
        concrete = BINARY[name](x[1], y[1])
    except (ZeroDivisionError, TypeError, ValueError, OverflowError):
        return
    assume(not isinstance(concrete, complex))
    assert contains(machine, binary(machine, name, x[0], y[0], SPAN), concrete)


@given(st.sampled_from(sorted(COMPARE)), numbers(), numbers())
def test_a_comparison_allows_for_what_python_computes(
    name: str, x: tuple[Value, Any], y: tuple[Value, Any]
) -> None:
    machine = FakeMachine()
    result = compare(machine, name, x[0], y[0], SPAN)
    assert contains(machine, result, COMPARE[name](x[1], y[1]))


@given(st.sampled_from(("USub", "UAdd", "Not", "Invert")), numbers())
def test_a_unary_operator_allows_for_what_python_computes(name: str, x: tuple[Value, Any]) -> None:
    compute = {"USub": operator.neg, "UAdd": operator.pos, "Not": operator.not_}
    assume(name != "Invert" or type(x[1]) is int)
    concrete = compute.get(name, operator.invert)(x[1])
    machine = FakeMachine()
    assert contains(machine, unary(machine, name, x[0], SPAN), concrete)


@given(numbers())
def test_truth_is_that_of_python_where_it_is_known(x: tuple[Value, Any]) -> None:
    assert truth(x[0]) in (None, bool(x[1]))


@given(texts, texts, st.integers(0, 3))
def test_text_is_added_and_repeated(a: str, b: str, times: int) -> None:
    machine = FakeMachine()
    assert binary(machine, "Add", constant(a), constant(b), SPAN).constant == a + b
    assert binary(machine, "Mult", constant(a), constant(times), SPAN).constant == a * times


def _covers(wide: Value, narrow: Value) -> bool:
    """`leq`, where a bool may be told as a constant or as an interval."""
    flags = {Constant(True, "bool"), Constant(False, "bool")}
    if Number("bool", 0, 1) in wide.atoms:
        narrow = Value(
            [Number("bool", 0, 1) if a in flags else a for a in narrow.atoms],
            narrow.unknown,
            narrow.marks,
        )
        wide = Value([a for a in wide.atoms if a not in flags], wide.unknown, wide.marks)
    return leq(narrow, wide) or wide.unknown


@given(st.sampled_from(sorted(BINARY)), numbers(), numbers(), whole)
def test_binary_operators_are_monotone(
    name: str, x: tuple[Value, Any], y: tuple[Value, Any], other: int
) -> None:
    machine = FakeMachine()
    narrow = binary(machine, name, x[0], y[0], SPAN)
    wide = binary(machine, name, join(x[0], constant(other)), y[0], SPAN)
    for atom in narrow.atoms:  # an alternative that joins with others becomes an interval
        low = atom.value if isinstance(atom, Constant) else getattr(atom, "low", 0)
        assume(not isinstance(low, complex))
    assert _covers(wide, narrow)


@given(st.sampled_from(sorted(COMPARE)), numbers(), numbers(), whole)
def test_comparisons_are_monotone(
    name: str, x: tuple[Value, Any], y: tuple[Value, Any], other: int
) -> None:
    machine = FakeMachine()
    narrow = compare(machine, name, x[0], y[0], SPAN)
    wide = compare(machine, name, join(x[0], constant(other)), y[0], SPAN)
    assert _covers(wide, narrow)


# Sums of symbols


@given(sums(), sums(), sizes)
def test_products_quotients_and_remainders_of_sums_are_exact(
    a: affine.Affine, b: affine.Affine, given: dict[str, int]
) -> None:
    x, y = int(evaluate(a, given)), int(evaluate(b, given))
    times = product(a, b)
    assert times is None or evaluate(times, given) == x * y
    assume(y > 0)
    floor, rest = quotient(a, b), remainder(a, b)
    assert floor is None or evaluate(floor, given) == x // y
    assert rest is None or evaluate(rest, given) == x % y


@given(sums(), st.integers(-9, 9).filter(bool), sizes)
def test_quotients_by_a_constant_are_exact(
    a: affine.Affine, divisor: int, given: dict[str, int]
) -> None:
    floor = quotient(a, affine.constant(divisor))
    assert floor is not None
    assert evaluate(floor, given) == evaluate(a, given) // divisor


@given(sums(), sums(), sizes)
def test_substitution_reaches_into_quotients(
    a: affine.Affine, b: affine.Affine, given: dict[str, int]
) -> None:
    assume(evaluate(b, given) > 0)
    floor = quotient(a, b)
    assume(floor is not None)
    assert floor is not None
    numbers = {name: affine.constant(number) for name, number in given.items()}
    known = substituted(floor, lambda name: numbers.get(str(name)))
    assert known == affine.constant(int(evaluate(a, given)) // int(evaluate(b, given)))


def _number(name: str) -> Value:
    return only(Number("int", 1, INFINITY, affine.symbol(name)))


@pytest.mark.parametrize("divisor", [constant(32), _number("b")])
def test_three_spellings_of_division_rounded_up_are_one_number(divisor: Value) -> None:
    machine, n = FakeMachine(), _number("n")

    def do(name: str, x: Value, y: Value) -> Value:
        return binary(machine, name, x, y, SPAN)

    added = do("FloorDiv", do("Sub", do("Add", n, divisor), constant(1)), divisor)
    negated = unary(machine, "USub", do("FloorDiv", unary(machine, "USub", n, SPAN), divisor), SPAN)
    called = machine.builtin("math.ceil", do("Div", n, divisor))
    forms = [getattr(value.only, "affine", None) for value in (added, negated, called)]
    assert forms[0] is not None
    assert forms == [forms[0]] * 3


def test_a_rounded_number_minus_its_remainder_is_a_multiple() -> None:
    machine, n = FakeMachine(), _number("n")
    rest = binary(machine, "Mod", n, constant(8), SPAN)
    down = binary(machine, "Sub", n, rest, SPAN)
    times = binary(
        machine, "Mult", binary(machine, "FloorDiv", n, constant(8), SPAN), constant(8), SPAN
    )
    assert down.only == times.only or getattr(down.only, "affine", 0) == getattr(
        times.only, "affine", 1
    )


def test_what_varies_is_kept_and_what_cancels_does_not_vary() -> None:
    machine = FakeMachine()
    index = only(Number("int", 0, 9, affine.symbol(("range", "file.py", SPAN))), LOOP)
    end = binary(machine, "Add", index, constant(4), SPAN)
    assert end.marks == LOOP
    assert binary(machine, "Sub", end, index, SPAN) == constant(4)
    assert binary(machine, "Mult", index, constant(2), SPAN).marks == LOOP
    assert not binary(machine, "FloorDiv", index, constant(64), SPAN).marks


def test_a_symbol_may_be_an_array_unless_it_is_a_size() -> None:
    machine = FakeMachine()
    given = Symbol(("f", "x"))
    assert binary(machine, "Mult", only(given), constant(2), SPAN).unknown
    size = Symbol(("f", "x"), (".shape", "[0]"))
    doubled = binary(machine, "Mult", only(size), constant(2), SPAN).only
    assert isinstance(doubled, Number)
    assert doubled.affine == affine.scale(affine.symbol(size), 2)


def test_text_varies_with_all_that_it_shows() -> None:
    machine = FakeMachine()
    shown = only(Tuple((constant("a"), only(Number("int"), LOOP))))
    assert binary(machine, "Mod", constant("%s %d"), shown, SPAN).marks == LOOP
    given = machine.method(constant("{}"), "format", only(Number("int"), LOOP))
    assert given.marks == LOOP
    exact = binary(machine, "Mod", constant("%d of %d"), machine.abstract((1, 2)), SPAN)
    assert exact.constant == "1 of 2"


def test_two_sentinels_are_different_objects() -> None:
    machine = FakeMachine()
    first, second = machine.builtin("object"), machine.builtin("object")
    assert compare(machine, "Is", first, first, SPAN).constant is True
    assert compare(machine, "Is", first, second, SPAN).constant is False
    assert compare(machine, "Is", first, constant(None), SPAN).constant is False
    atom = first.only
    assert isinstance(atom, Object)
    machine.fresh[atom.site] = LOOP  # made again in a loop: an older one is another
    assert compare(machine, "Is", first, first, SPAN).constant is None


def test_an_in_place_comparison_of_a_loop_is_noted() -> None:
    machine = FakeMachine()
    low, high = only(Number("int", 0, 5)), constant(7)
    compare(machine, "Lt", low, high, SPAN)
    assert machine.test_operands == (low, high)
    assert machine.bound_of_test.constant == 7
    compare(machine, "Gt", high, low, SPAN)
    assert machine.test_operands == (low, high)


@given(numbers())
def test_floor_and_ceil_allow_for_what_python_computes(x: tuple[Value, Any]) -> None:
    machine = FakeMachine()
    for name in ("ceil", "floor", "trunc"):
        concrete = getattr(math, name)(x[1])
        assert contains(machine, machine.builtin(f"math.{name}", x[0]), concrete)
    assert contains(machine, machine.builtin("abs", x[0]), abs(x[1]))
    assert contains(machine, machine.builtin("round", x[0]), round(x[1]))
    for kind in (int, float, bool, str):
        assert contains(machine, machine.builtin(kind.__name__, x[0]), kind(x[1]))


@given(st.lists(numbers(), min_size=1, max_size=4))
def test_extremes_and_sums_allow_for_what_python_computes(given: list[tuple[Value, Any]]) -> None:
    machine = FakeMachine()
    values, concrete = [v for v, _ in given], [x for _, x in given]
    packed = only(Tuple(tuple(values)))
    assert contains(machine, machine.builtin("sum", packed), sum(concrete))
    for name, compute in (("min", min), ("max", max)):
        assume(len({type(x) for x in concrete}) == 1)
        assert contains(machine, machine.builtin(name, packed), compute(concrete))


def test_a_sum_of_floats_is_that_of_every_python() -> None:
    """From Python 3.12 on `sum` compensates for rounding: 3.624, before 3.6240000000000006."""
    machine = FakeMachine()
    added = machine.builtin("sum", only(Tuple(tuple(map(constant, (0.812, 2, 0.812))))))
    assert contains(machine, added, 3.624) and contains(machine, added, 3.6240000000000006)
    exact = machine.builtin("sum", only(Tuple(tuple(map(constant, (0.5, 2, 0.25))))))
    assert exact.only == Constant(2.75, "float")
