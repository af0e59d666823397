"""Records are dataclasses whose hash is kept; copies of them are as `dataclasses.replace` has."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gotcha_lint.domain.record import record, replaced
from gotcha_lint.domain.value import Constant, Size, Symbol, only
from gotcha_lint.interpret.leaves import Leaf

SIZES = st.builds(
    Size,
    low=st.integers(0, 3),
    high=st.integers(3, 6),
    marks=st.frozensets(st.sampled_from(("a", "b"))),
    few=st.none() | st.frozensets(st.integers(0, 3)),
    origin=st.none() | st.just(("a.py", (1, 1, 1, 2))),
)


@record
class Pair:
    left: int
    right: tuple[int, ...] = ()


def test_another_process_computes_its_own_hash() -> None:
    """Texts have another hash there."""
    pair = Pair(1, (2,))
    assert hash(pair) == pair._hash  # type: ignore[attr-defined]
    loaded = pickle.loads(pickle.dumps(pair))
    assert (loaded, loaded._hash) == (pair, 0)


@given(SIZES, SIZES)
def test_a_copy_is_what_dataclasses_make(size: Size, other: Size) -> None:
    assert hash(size) == hash(replace(size))  # kept from here on
    for changes in ({}, {"low": other.low}, {"marks": other.marks, "few": other.few}):
        copied, expected = replaced(size, **changes), replace(size, **changes)
        assert copied == expected
        assert hash(copied) == hash(expected)
        assert copied.origin is size.origin


@given(SIZES, SIZES)
def test_equal_records_have_one_hash(size: Size, other: Size) -> None:
    if size == other:
        assert hash(size) == hash(other)
    assert len({size, other}) == 2 - (size == other)


def test_what_is_not_compared_is_not_hashed() -> None:
    here, there = ("a.py", (1, 1, 1, 2)), ("a.py", (2, 1, 2, 2))
    assert Symbol("x", (), here) == Symbol("x", (), there)
    assert hash(Symbol("x", (), here)) == hash(Symbol("x", (), there))
    assert len({Constant(1, "int"), Constant(1.0, "float"), Constant(True, "bool")}) == 3


def test_a_name_that_is_no_field_is_refused() -> None:
    with pytest.raises(TypeError, match="Pair has no field middle"):
        replaced(Pair(1), middle=2)


def test_a_copy_of_a_changed_record_is_another_value() -> None:
    pair = Pair(1, (2,))
    assert {pair: "old"}.get(replaced(pair, left=3)) is None
    assert {pair: "old"}[replaced(pair, left=1)] == "old"


def test_other_dataclasses_are_copied_too() -> None:
    leaf = Leaf(untyped=True)
    copied = replaced(leaf, marks=only(Constant(1, "int")).marks)
    assert copied == leaf
    assert copied is not leaf
