"""Batches: every target once an epoch, few shapes, little padding, one order for all processes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_trainer.config import Data, DataError
from reference_trainer.data.batch import Batch, Document
from reference_trainer.data.batching import Batches, best_fit
from reference_trainer.extras.buckets import bucket_lengths

LENGTH = 24
MODES = ("pack", "bucket", "pad")
SIZES = st.lists(st.integers(1, LENGTH), min_size=1, max_size=30)


def documents(sizes: list[int]) -> list[Document]:
    """Every target is another number, from 1; the inputs are the same number and its negative."""
    ends = np.cumsum(sizes)
    made = []
    for end, size in zip(ends, sizes, strict=True):
        targets_T1 = np.arange(end - size + 1, end + 1, dtype=np.int32)[:, None]
        made.append(Document(np.concatenate([targets_T1, -targets_T1], axis=1), targets_T1))
    return made


def small(**values: Any) -> Data:
    return Data(**{"length": LENGTH, "batch": 3, **values})


def epoch(batches: Batches, number: int = 0) -> list[Batch]:
    return [batches[number * len(batches) + i] for i in range(len(batches))]


def counted(batches: list[Batch]) -> list[int]:
    """The targets that count."""
    return [int(n) for b in batches for n in b.targets[..., 0][b.weights == 1]]


def same(left: Batch, right: Batch) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))


def documents_of(batch: Batch, row: int) -> list[tuple[int, ...]]:
    """The targets of each document of a row; checks what surrounds them."""
    segments_T, found = batch.segments[row], []
    used = int((segments_T > 0).sum())
    assert np.array_equal(batch.weights[row], segments_T > 0)
    assert all(not array[row, used:].any() for array in batch)
    for segment in range(1, segments_T.max(initial=0) + 1):
        (steps,) = np.nonzero(segments_T == segment)
        assert np.array_equal(steps, np.arange(steps[0], steps[0] + len(steps)))
        assert np.array_equal(batch.positions[row, steps], np.arange(len(steps)))
        targets_T = batch.targets[row, steps, 0]
        assert np.array_equal(batch.inputs[row, steps], np.stack([targets_T, -targets_T], axis=1))
        found.append(tuple(targets_T.tolist()))
    return found


@settings(deadline=None)
@given(
    sizes=SIZES,
    mode=st.sampled_from(MODES),
    shuffle=st.booleans(),
    batch=st.integers(1, 5),
    bins=st.integers(1, 4),
    buckets=st.integers(1, 4),
    number=st.integers(0, 2),
)
def test_an_epoch_has_every_document_once_and_whole(
    sizes, mode, shuffle, batch, bins, buckets, number
):
    data = small(batching=mode, batch=batch, bins=bins, buckets=buckets)
    batches = Batches(documents(sizes), data, shuffle)
    made = epoch(batches, number if shuffle else 0)
    found = [doc for b in made for row in range(batch) for doc in documents_of(b, row)]
    expected = [tuple(d.targets[:, 0].tolist()) for d in documents(sizes)]
    assert sorted(found) == expected
    assert sorted(counted(made)) == list(range(1, sum(sizes) + 1))
    assert {b.segments.shape for b in made} == {(batch, length) for length in batches.lengths}
    steps = sum(b.segments.size for b in made)
    assert batches.useful == pytest.approx(sum(sizes) / steps)
    if mode == "bucket":
        assert len(batches.lengths) <= buckets
    else:
        assert batches.lengths == (LENGTH,)


@settings(deadline=None)
@given(sizes=SIZES, mode=st.sampled_from(MODES), index=st.integers(0, 40))
def test_the_processes_share_each_batch(sizes, mode, index):
    data = small(batching=mode, batch=6)
    whole = Batches(documents(sizes), data, shuffle=True)[index]
    parts = [
        Batches(documents(sizes), data, shuffle=True, rows=slice(start, start + 2))[index]
        for start in (0, 2, 4)
    ]
    assert same(Batch(*map(np.concatenate, zip(*parts, strict=True))), whole)


@pytest.mark.parametrize("mode", MODES)
def test_a_batch_depends_on_its_number_and_the_seed_alone(mode):
    sizes = [1 + i * 7 % LENGTH for i in range(40)]
    batches = Batches(documents(sizes), small(batching=mode), shuffle=True)
    forward = [batches[i] for i in range(3 * len(batches))]
    other = Batches(documents(sizes), small(batching=mode), shuffle=True)
    backward = [other[i] for i in reversed(range(3 * len(other)))]
    assert all(map(same, forward, reversed(backward)))
    assert forward[0].inputs is not batches[0].inputs  # a step may donate or overwrite it
    reseeded = Batches(documents(sizes), small(batching=mode, seed=1), shuffle=True)
    assert not all(map(same, epoch(batches), epoch(reseeded)))


@pytest.mark.parametrize("mode", MODES)
def test_each_epoch_has_an_order_of_its_own(mode):
    sizes = [1 + i * 7 % LENGTH for i in range(40)]
    batches = Batches(documents(sizes), small(batching=mode), shuffle=True)
    orders = [tuple(counted(epoch(batches, number))) for number in range(4)]
    assert len(set(orders)) == 4
    assert len({tuple(sorted(order)) for order in orders}) == 1
    first, second = ({frozenset(counted([b])) for b in epoch(batches, n)} for n in (0, 1))
    assert first != second  # not the same batches in another order


def test_positions_begin_again_with_each_document():
    (batch,) = epoch(Batches(documents([3, 2]), small(batch=1), shuffle=False))
    assert batch.segments[0, :6].tolist() == [1, 1, 1, 2, 2, 0]
    assert batch.positions[0, :6].tolist() == [0, 1, 2, 0, 1, 0]


def test_short_and_long_buckets_are_mixed():
    data = small(batching="bucket", buckets=2)
    batches = Batches(documents([4] * 30 + [20] * 30), data, shuffle=True)
    lengths = [batch.segments.shape[1] for batch in epoch(batches)]
    assert sorted(lengths) not in (lengths, lengths[::-1])


def test_neighbours_are_packed_apart_when_shuffled():
    sizes = [LENGTH // 2] * 100
    batches = Batches(documents(sizes), small(batch=1), shuffle=True)
    pairs = [documents_of(batch, 0) for batch in epoch(batches)]
    together = sum(abs(first[0] - second[0]) == LENGTH // 2 for first, second in pairs)
    assert together < 10  # in order they all were


def test_without_shuffling_the_order_is_that_of_the_documents_and_ends():
    batches = Batches(documents([3] * 7), small(batching="pad"), shuffle=False)
    assert counted(epoch(batches)) == list(range(1, 22))
    for index in (len(batches), -1):
        with pytest.raises(IndexError):
            batches[index]


def test_the_last_batch_is_filled_up_with_rows_that_weigh_nothing():
    first, last = epoch(Batches(documents([5] * 4), small(batching="pad"), shuffle=False))
    assert first.weights.sum() == 15
    assert last.weights.shape == first.weights.shape
    assert last.weights.sum(axis=1).tolist() == [5, 0, 0]


def test_eight_open_rows_leave_little_padding():
    sizes = np.random.default_rng(0).lognormal(5.5, 1.2, 4000).astype(int).clip(1, 1024)

    def useful(**values: Any) -> float:
        data = Data(length=1024, **values)
        return Batches(documents(sizes.tolist()), data, shuffle=True).useful

    assert useful(batching="pack", bins=8) >= 0.97 > useful(batching="pack", bins=1)
    assert useful(batching="bucket", buckets=4) >= 0.75 > 0.5 > useful(batching="pad")


def test_a_document_goes_where_it_leaves_the_least_room():
    assert best_fit([6, 5, 4, 5], 10, bins=2) == [[0, 2], [1, 3]]
    assert best_fit([6, 5, 4, 5], 10, bins=1) == [[0], [1, 2], [3]]


@settings(deadline=None)
@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=20),
    buckets=st.integers(1, 4),
)
def test_no_other_bucket_lengths_pad_less(sizes, buckets):
    longest = 60  # no multiple of 8: rows are never longer than asked for
    candidates = {min(-(-size // 8) * 8, longest) for size in sizes}

    def steps(lengths):
        return sum(min(length for length in lengths if length >= size) for size in sizes)

    tried = (
        chosen
        for count in range(1, buckets + 1)
        for chosen in itertools.combinations(sorted(candidates), count)
        if chosen[-1] >= max(sizes)
    )
    found = bucket_lengths(np.array(sizes), buckets, longest)
    assert len(found) <= buckets and set(found) <= candidates
    assert steps(found) == min(map(steps, tried))


def test_no_documents_and_a_document_longer_than_a_row_are_errors():
    with pytest.raises(DataError, match="no documents"):
        Batches([], small(), shuffle=True)
    with pytest.raises(DataError, match=f"{LENGTH + 1} steps"):
        Batches(documents([LENGTH + 1]), small(), shuffle=True)
