"""Loaders: the same batches from each, and from a saved state exactly those that were to come."""

from __future__ import annotations

import itertools
import json
import threading

import numpy as np
import pytest

from reference_trainer.config import Data, DataError
from reference_trainer.data.batch import Batch, Document
from reference_trainer.data.batching import Batches
from reference_trainer.data.loader import loader
from reference_trainer.run import checks
from tests.reference_trainer.support import SMALL, corpus

pytest.importorskip("grain")

SETTINGS = {
    "simple": Data(loader="simple"),
    "grain": Data(loader="grain"),
    "grain, no threads": Data(loader="grain", prefetch=0),
}
STEPS_T1 = np.arange(8, dtype=np.int32)[:, None]


@pytest.fixture
def batches() -> Batches:
    documents = [Document(STEPS_T1, STEPS_T1 + 8 * number) for number in range(10)]
    return Batches(documents, Data(length=16, batch=2, bins=2), shuffle=True)


def same(left: list[Batch], right: list[Batch]) -> bool:
    pairs = zip(left, right, strict=True)
    return all(np.array_equal(a, b) for x, y in pairs for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize("data", SETTINGS.values(), ids=SETTINGS)
def test_batches_come_in_order_over_many_epochs(batches, data):
    count = 3 * len(batches) + 1
    found = list(itertools.islice(loader(batches, data), count))
    assert same(found, [batches[i] for i in range(count)])


@pytest.mark.parametrize("after", range(8))
@pytest.mark.parametrize("second", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("first", SETTINGS.values(), ids=SETTINGS)
def test_a_saved_state_goes_on_where_it_was_taken(batches, first, second, after):
    before = loader(batches, first)
    list(itertools.islice(before, after))
    saved = json.dumps(before.state())
    following = list(itertools.islice(before, 5))
    resumed = loader(batches, second, json.loads(saved))
    assert resumed.state() == json.loads(saved)
    assert same(list(itertools.islice(resumed, 5)), following)


@pytest.mark.parametrize("data", SETTINGS.values(), ids=SETTINGS)
def test_a_state_that_was_taken_does_not_change(batches, data):
    source = loader(batches, data)
    next(source)
    taken = source.state()
    copy = json.dumps(taken)
    next(source)
    assert json.dumps(taken) == copy != json.dumps(source.state())


def test_without_prefetch_grain_starts_no_thread(batches):
    running = set(threading.enumerate())
    next(loader(batches, SETTINGS["grain, no threads"]))
    assert set(threading.enumerate()) <= running  # another test's may end meanwhile


def test_a_missing_grain_is_an_error_that_says_what_to_do(batches, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    config = SMALL.replace(data={"loader": "grain"})
    with pytest.raises(DataError, match=r"pip install grain.*data\.loader=simple"):
        checks.check(config, corpus())
    next(loader(batches, SETTINGS["simple"]))
