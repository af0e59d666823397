"""A policy that plays: frame by frame with its own actions, as late as the data say."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from reference_trainer.data.batch import Document
from reference_trainer.extras import decode, play, sample
from tests.reference_trainer.support import TINY, init

POLICY = TINY.replace(
    model={"features": (16, 8, 8), "heads": (8, 8), "tied": False}, data={"length": 24}
)
PREVIOUS = (1, 2)


@pytest.mark.parametrize("delay", [0, 2])
def test_actions_are_fed_back_as_late_as_they_are_known(delay):
    config = POLICY.replace(data={"delay": delay})
    params = init(jax.random.key(0), config=config)
    recorded_TF = np.random.default_rng(0).integers(0, 8, (24, 3)).astype(np.int32)
    carry, actions = decode.start(config, 1, 24), []
    for t in range(24):
        seen_F = recorded_TF[t].copy()
        if t - 1 - delay >= 0:
            seen_F[list(PREVIOUS)] = actions[t - 1 - delay]
        at = jnp.asarray(t, jnp.int32)
        heads, carry = sample.policy_step(
            params, jnp.asarray(seen_F)[None], carry, at, config=config
        )
        actions.append([int(head.argmax()) for head in heads])
    played_BTH = play.played(params, recorded_TF[None], previous=PREVIOUS, config=config)
    np.testing.assert_array_equal(played_BTH[0], actions)


def test_accuracy_counts_targets_and_no_padding():
    params = init(jax.random.key(0), config=POLICY)
    inputs_TF = np.ones((10, 3), np.int32)
    rows_BTF = np.zeros((1, 24, 3), np.int32)
    rows_BTF[0, :10] = inputs_TF
    played_TH = np.asarray(play.played(params, rows_BTF, previous=PREVIOUS, config=POLICY))[0, :10]
    right = Document(inputs_TF, played_TH)
    wrong = Document(inputs_TF, (played_TH + 1) % 8)
    assert play.accuracy(params, [right, right, right], PREVIOUS, POLICY) == 1.0
    assert play.accuracy(params, [right, wrong], PREVIOUS, POLICY) == 0.5
