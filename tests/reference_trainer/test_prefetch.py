"""Prefetch: order, states and errors as without it, and no thread that stays."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from reference_trainer.data.batch import Batch, empty
from reference_trainer.data.prefetch import prefetch

SIZES = (0, 1, 3)


class Numbered(Iterator[Batch]):
    """Batches whose only input is their number; from `fails` on reading is an error."""

    def __init__(self, count: int = 10, fails: int = 100, start: int = 0) -> None:
        self.read, self._count, self._fails = start, count, fails

    def __next__(self) -> Batch:
        if self.read == self._fails:
            raise OSError("the disk is gone")
        if self.read == self._count:
            raise StopIteration
        self.read += 1
        return empty(1, 1, 1, 1)._replace(inputs=np.array(self.read - 1))

    def state(self) -> dict[str, Any]:
        return {"next_index": self.read}


def unchanged(batch: Batch) -> Batch:
    return batch


def number(batch: Batch) -> int:
    return int(batch.inputs)


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "prefetch"]


@pytest.fixture(autouse=True)
def no_thread_stays():
    yield
    assert not threads()


@pytest.mark.parametrize("size", SIZES)
def test_batches_come_in_order_with_the_state_after_each(size):
    with prefetch(Numbered(), unchanged, size) as ahead:
        found = [(number(batch), state) for batch, state in ahead]
    assert found == [(i, {"next_index": i + 1}) for i in range(10)]


@pytest.mark.parametrize("size", SIZES)
def test_what_was_read_ahead_is_not_skipped_on_resume(size):
    with prefetch(Numbered(), unchanged, size) as ahead:
        used = [number(next(ahead)[0]) for _ in range(3)]
        batch, state = next(ahead)
        used.append(number(batch))
    with prefetch(Numbered(start=state["next_index"]), unchanged, size) as ahead:
        used += [number(batch) for batch, _ in ahead]
    assert used == list(range(10))


@pytest.mark.parametrize("size", SIZES)
def test_batches_are_placed_where_they_are_read(size):
    placed_in = []

    def place(batch: Batch) -> Batch:
        placed_in.append(threading.current_thread().name)
        return batch._replace(inputs=batch.inputs + 100)

    with prefetch(Numbered(count=4), place, size) as ahead:
        assert [number(batch) for batch, _ in ahead] == [100, 101, 102, 103]
    assert set(placed_in) == {"prefetch" if size else threading.current_thread().name}


@pytest.mark.parametrize("size", SIZES)
def test_an_error_comes_after_the_batches_before_it_and_shows_where_it_was(size):
    found = []
    with (
        pytest.raises(OSError, match="disk") as caught,
        prefetch(Numbered(fails=2), unchanged, size) as ahead,
    ):
        for batch, _ in ahead:
            found.append(number(batch))
    assert found == [0, 1]
    assert "__next__" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]


@pytest.mark.parametrize("size", SIZES)
def test_an_error_of_placing_is_raised_too(size):
    def place(batch: Batch) -> Batch:
        raise MemoryError("no room on the device")

    with pytest.raises(MemoryError), prefetch(Numbered(), place, size) as ahead:
        next(ahead)


@pytest.mark.parametrize("size", SIZES)
def test_a_loop_may_be_left_early_and_the_thread_ends(size):
    with prefetch(Numbered(count=10**9), unchanged, size) as ahead:
        next(ahead)
        assert threads() == (["prefetch"] if size else [])
    assert not threads()


@pytest.mark.parametrize("size", SIZES)
def test_an_error_of_the_loop_is_not_hidden(size):
    with pytest.raises(ZeroDivisionError), prefetch(Numbered(fails=1), unchanged, size) as ahead:
        next(ahead)
        raise ZeroDivisionError


def test_a_block_that_takes_nothing_ends_the_thread_too():
    with prefetch(Numbered(count=10**9), unchanged, 2):
        assert threads() == ["prefetch"]


@pytest.mark.parametrize("size", SIZES[1:])
def test_after_the_block_there_is_an_end(size):
    with prefetch(Numbered(count=10**9), unchanged, size) as ahead:
        next(ahead)
    assert len(list(ahead)) <= size


@pytest.mark.parametrize("size", SIZES[1:])
def test_no_more_is_read_ahead_than_asked_for(size):
    source = Numbered(count=10**9)
    with prefetch(source, unchanged, size) as ahead:
        for used in range(1, 4):
            next(ahead)
            deadline = time.monotonic() + 10
            while source.read < used + size and time.monotonic() < deadline:
                time.sleep(0.001)
            time.sleep(0.02)  # it would go on here
            assert source.read == used + size
