"""Marks of dispatches and reads: what is fresh, what a turn makes old, what a read leaves."""

from __future__ import annotations

from gotcha_lint.domain.freshness import (
    added,
    after,
    aged,
    dispatched,
    given_by,
    histories,
    kept_from,
    made_at,
    made_in,
    read_at,
)
from gotcha_lint.domain.value import Array, Size, Tuple, Value, fixed, only
from gotcha_lint.domain.value import Sequence as SequenceOf

HERE = ("a.py", (3, 1, 3, 9))
LIST = ("a.py", (1, 1, 1, 3))
LOSS = only(Array("float32", False, (), "device"))


def leaf(value: Value) -> Value:
    atom = value.only
    assert isinstance(atom, Tuple)
    return atom.items[0]


def test_all_that_a_dispatch_gives_is_fresh() -> None:
    given = given_by(only(Tuple((LOSS, LOSS))), HERE)
    assert made_in(given.marks) == made_in(leaf(given).marks) == {made_at(HERE)}


def test_the_next_turn_makes_it_old_at_any_depth() -> None:
    given = given_by(only(Tuple((only(SequenceOf(LOSS, Size())),))), HERE)
    old = aged(given, {})
    inner = leaf(old).only
    assert isinstance(inner, SequenceOf)
    for value in (old, leaf(old), inner.element):
        assert value.marks == {kept_from(HERE)}
        assert dispatched(value.marks) == {made_at(HERE)}


def test_what_is_not_fresh_stays_the_same_object() -> None:
    value = only(Tuple((LOSS, only(Array("int32", False, (fixed(3),))))))
    assert aged(value, {}) is value
    assert added(value, LIST, {}) is value


def test_an_element_of_a_growing_list_is_old_and_knows_the_list() -> None:
    element = added(given_by(LOSS, HERE), LIST, {})
    assert not made_in(element.marks)
    assert len(histories(element.marks)) == 1


def test_after_a_read_nothing_has_to_be_waited_for() -> None:
    marks = given_by(LOSS, HERE).marks
    seen = frozenset((read_at(HERE),))
    assert after(marks, seen) == seen
