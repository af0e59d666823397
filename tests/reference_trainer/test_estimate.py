"""Estimates for GPUs: marked so, with terms that behave as bytes and operations do."""

from __future__ import annotations

import pytest

from benchmarks.trainer import estimate
from benchmarks.trainer.estimate import CARDS
from reference_trainer.run.presets import PRESETS

SMALL = PRESETS["h200_124m"]


def test_every_row_is_marked_and_its_terms_add_up():
    found = estimate.estimate(SMALL, CARDS["H100"])
    assert estimate.NOTE in str(found)
    tokens = SMALL.data.batch * SMALL.data.length
    assert found.tokens_per_second == pytest.approx(tokens / sum(found.seconds.values()))
    assert 0.3 < found.share < 0.6
    assert found.memory < 80e9


def test_the_1b_preset_is_estimated_to_fit_an_80_gb_card():
    assert estimate.estimate(PRESETS["h200_1b"], CARDS["H100"]).memory < 80e9


def test_terms_follow_what_they_are_made_of():
    base = estimate.estimate(SMALL, CARDS["H100"])
    faster_memory = estimate.estimate(SMALL, CARDS["H200"])
    assert faster_memory.seconds["products of layers"] == base.seconds["products of layers"]
    assert faster_memory.seconds["norms and residuals"] < base.seconds["norms and residuals"]
    dense = estimate.estimate(SMALL.replace(compute={"attention": "xla"}), CARDS["H100"])
    assert dense.seconds["attention"] > 4 * base.seconds["attention"]
    full = estimate.estimate(SMALL.replace(compute={"remat": "full"}), CARDS["H100"])
    ratio = full.seconds["products of layers"] / base.seconds["products of layers"]
    assert ratio == pytest.approx(4 / 3)
    assert full.memory < base.memory


def test_a_larger_card_holds_more_rows():
    small, large = (estimate.largest(SMALL, CARDS[name]) for name in ("RTX 4090", "H200"))
    assert small is not None and large is not None
    assert small.data.batch < large.data.batch
