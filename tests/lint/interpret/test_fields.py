"""The fields that the table tells of are those of the libraries."""

from __future__ import annotations

import pytest

from gotcha_lint.facts.fields import FIELDS, TRAIN_STATE_FIELDS


@pytest.mark.parametrize("name", FIELDS)
def test_fields_of_optax(name: str):
    optax = pytest.importorskip("optax")
    assert getattr(optax, name.removeprefix("optax."))._fields == FIELDS[name]


def test_fields_of_a_train_state():
    train_state = pytest.importorskip("flax.training.train_state")
    assert set(train_state.TrainState.__dataclass_fields__) == TRAIN_STATE_FIELDS
