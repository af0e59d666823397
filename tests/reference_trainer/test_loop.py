"""The loop: it learns, reads one step late, and stops at what is not finite."""

from __future__ import annotations

import json
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from reference_trainer import report
from reference_trainer.data.batch import Batch, Corpus, Document
from reference_trainer.train import loop, reader, replay
from reference_trainer.train.evaluate import evaluate, probes
from reference_trainer.train.step import Metrics
from tests.reference_trainer.support import SMALL, TINY, job, run

SIXTY = TINY.replace(
    run={"steps": 60, "eval_every": 60, "save_every": 60}, optimizer={"learning_rate": 1e-2}
)


def test_it_learns_to_count(tmp_path):
    result = run(SIXTY, tmp_path)
    assert result.score is not None
    assert result.score.bits < 0.5 * math.log2(64)
    assert result.score.accuracy > 0.5
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines if "loss" in line] == list(range(1, 61))
    assert [line["eval_bits"] for line in lines if "eval_bits" in line] == [result.score.bits]


def test_rows_of_one_length_compile_once(tmp_path):
    result = run(SMALL.replace(run={"steps": 2}), tmp_path)
    assert (result.programs, result.recompiled) == (1, 0)


def test_buckets_compile_once_each(tmp_path):
    config = SMALL.replace(
        data={"batching": "bucket", "buckets": 3}, run={"steps": 12, "eval_every": 12}
    )
    result = run(config, tmp_path)
    assert 1 < result.programs <= 3
    assert result.recompiled == 0


class Quiet:
    def __init__(self) -> None:
        self.lines: list[int] = []

    def write(self, step: int, **values: float) -> None:
        self.lines.append(step)

    def advance(self, step: int, words: str) -> None:
        pass


def said(loss: float) -> Metrics:
    return Metrics(
        loss=jnp.float32(loss),
        targets=jnp.float32(10),
        grad_norm=jnp.float32(1),
        finite=jnp.isfinite(loss),
    )


def test_a_step_is_read_after_the_next_was_sent(tmp_path):
    log, batch = Quiet(), Batch(*(jnp.zeros((1, 1)),) * 5)
    reading = reader.Reader(TINY, log, tmp_path)  # type: ignore[arg-type]
    for number in (1, 2, 3):
        reading.sent(reader.Sent(number, said(1.0), batch), None)  # type: ignore[arg-type]
        assert log.lines == list(range(1, number))
    reading.catch_up(None)  # type: ignore[arg-type]
    assert log.lines == [1, 2, 3]
    assert reading.tokens == 30


@pytest.mark.parametrize("late", [False, True])
def test_nan_stops_the_run_with_its_batch_and_the_operation(tmp_path, monkeypatch, late):
    """Also where it comes after the layers, whose masks are made of infinities."""
    made = job(SMALL)
    create = loop.states.create

    def broken(config, mesh):
        state = create(config, mesh)
        embed = [table.at[:].set(-1.0) for table in state.params["embed"]]
        return state._replace(params=state.params | {"embed": embed})

    def loss(params, batch, config, key):
        first = params["embed"][0][0, 0]  # -1
        early = 0.0 if late else jnp.log(first)
        total = made_sums(params, batch, config, key)
        return total._replace(loss=jnp.log(first * total.loss) if late else total.loss + early)

    made_sums = loop.build.__globals__["batch_sums"]
    monkeypatch.setattr(loop.states, "create", broken)
    monkeypatch.setattr("reference_trainer.train.step.batch_sums", loss)
    with pytest.raises(replay.NotFinite) as error:
        loop.train(made, tmp_path)
    assert "step 1 was not finite" in str(error.value)
    assert "log" in str(error.value).splitlines()[-1]
    (kept,) = tmp_path.glob("bad-batch-1-*.npz")
    assert np.load(kept)["inputs"].shape == (4, 64, 1)


def circles(count: int = 300) -> Corpus:
    """Four numbers, again and again: the last one alone does not tell what comes next."""
    rng = np.random.default_rng(0)
    documents = []
    for length in rng.integers(20, 60, count):
        numbers_T1 = np.resize(rng.permutation(np.arange(1, 16))[:4], (length + 1, 1))
        numbers_T1 = numbers_T1.astype(np.int32)
        documents.append(Document(numbers_T1[:-1], numbers_T1[1:]))
    cut = count * 4 // 5
    return Corpus(documents[:cut], documents[cut:], "number", {"digest": "circles"})


def test_a_model_that_looks_back_is_worse_when_the_context_is_shuffled(tmp_path):
    made = loop.prepare(SIXTY, circles())
    result = loop.train(made, tmp_path)
    plain, shuffled = report.context(made, result.state.params)
    assert plain < 2
    assert shuffled > plain + 1


def test_only_what_is_before_the_last_input_is_shuffled():
    made = job()
    batches = [made.held_out[i] for i in range(len(made.held_out))]
    plain, shuffled = probes(batches)
    for before, after in zip(plain, shuffled, strict=True):
        assert before.weights.sum() > 0
        np.testing.assert_array_equal(before.weights, after.weights)
        at = before.weights > 0
        np.testing.assert_array_equal(before.inputs[at], after.inputs[at])
        assert not np.array_equal(before.inputs, after.inputs)
        for segment in (1, 2):
            np.testing.assert_array_equal(
                np.sort(before.inputs[before.segments == segment], axis=0),
                np.sort(after.inputs[after.segments == segment], axis=0),
            )


def test_evaluation_is_the_mean_over_all_targets():
    made = job()
    state = loop.states.create(TINY, made.mesh)
    score = evaluate(made.eval_step, state.params, loop.each(made.held_out), made.mesh)
    targets = sum(len(document.targets) for document in made.corpus.held_out)
    assert score.targets == targets
    assert score.bits == pytest.approx(math.log2(64), rel=0.2)
    assert jax.process_count() == 1
