"""The loop: it learns, reads one step late, and stops at what is not finite."""

from __future__ import annotations

import dataclasses
import json
import math
import types
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from reference_trainer import parallel, sources
from reference_trainer.data.batch import Batch, Corpus, Document
from reference_trainer.data.batching import Batches
from reference_trainer.run import presets, probes, replay, start
from reference_trainer.run.log import Log
from reference_trainer.train import loop, reader
from reference_trainer.train import step as steps
from reference_trainer.train.step import Metrics, evaluate
from tests.cheap_compiles import DEFAULT
from tests.reference_trainer.support import ROOT, SMALL, TINY, corpus, job, run, same

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


class Tracker:
    """Called as Weights & Biases is."""

    def __init__(self, **_: object) -> None:
        self.calls: list[tuple[int, dict[str, float]]] = []

    def log(self, values: dict[str, float], *, step: int) -> None:
        self.calls.append((step, values))


def test_trackers_get_the_numbers(tmp_path):
    tracker = Tracker()
    with Log(tmp_path, 2, trackers=[tracker]) as log:
        log.write(1, loss=2.5, peak="unknown")
    assert tracker.calls == [(1, {"loss": 2.5})]


def test_the_program_of_the_page_gives_them_to_a_tracker(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "trainer.md").read_text()
    code = page.partition("```python\nfrom pathlib import Path\nimport wandb\n")[2].partition(
        "```"
    )[0]
    tracker = Tracker()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(presets.PRESETS, "cpu_smoke", SMALL.replace(run={"steps": 2}))
    monkeypatch.setattr(sources, "load", lambda data: corpus())
    wandb = types.SimpleNamespace(init=lambda **_: tracker)
    exec(code, {"wandb": wandb, "Path": Path})
    assert [values["loss"] > 0 for _, values in tracker.calls if "loss" in values] == [True] * 2


class Quiet:
    def __init__(self) -> None:
        self.lines: list[int] = []

    def write(self, step: int, **values: float) -> None:
        self.lines.append(step)

    def advance(self, step: int, words: str) -> None:
        pass


def metrics_with(loss: float) -> Metrics:
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
        reading.sent(reader.Sent(number, metrics_with(1.0), batch), None)  # type: ignore[arg-type]
        assert log.lines == list(range(1, number))
    reading.sent(None, None)  # type: ignore[arg-type]
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

    def loss(params, batch, config, key, layouts=None):
        first = params["embed"][0][0, 0]  # -1
        early = 0.0 if late else jnp.log(first)
        total = made_sums(params, batch, config, key, layouts)
        return total._replace(loss=jnp.log(first * total.loss) if late else total.loss + early)

    made_sums = loop.build.__globals__["batch_sums"]
    monkeypatch.setattr(loop.states, "create", broken)
    monkeypatch.setattr("reference_trainer.train.step.batch_sums", loss)
    with pytest.raises(replay.NotFinite) as error:
        loop.train(made, tmp_path)
    first, operation, _ = str(error.value).splitlines()
    assert "step 1 was not finite" in first
    assert "log" in operation
    (kept,) = tmp_path.glob("bad-batch-1-*.npz")
    assert np.load(kept)["inputs"].shape == (4, 64, 1)


class Poisoned(Batches):
    """The third batch has NaN in it."""

    bad: tuple[int, ...] = (2,)

    def __getitem__(self, index: int) -> Batch:
        batch = super().__getitem__(index)
        return batch._replace(weights=batch.weights * np.nan) if index in self.bad else batch


def poisoned(bad: tuple[int, ...], save_every: int = 100) -> loop.Job:
    config = SMALL.replace(run={"save_every": save_every, "eval_every": 100, "log_every": 100})
    made = loop.prepare(config, corpus())
    batches = Poisoned(made.corpus.train, config.data, shuffle=True)
    batches.bad = bad
    return dataclasses.replace(made, batches=batches)


@pytest.mark.parametrize("save_every", [100, 3], ids=["read a step late", "read before a save"])
def test_a_run_stopped_by_nan_goes_on_after_it(tmp_path, save_every):
    """Nothing of the good steps is lost, and the bad batch is not met again."""
    made = poisoned((2,), save_every)
    with pytest.raises(
        replay.NotFinite, match=r"(?s)step 3 was not finite.*saved step [34].*goes on"
    ):
        loop.train(made, tmp_path)
    saved = start.find(tmp_path, "auto")
    assert saved is not None
    result = loop.train(made, tmp_path, saved)
    expected = loop.states.create(made.config, made.mesh)
    for i in range(6):
        expected, _ = made.step(expected, parallel.place(made.batches[i], made.mesh))
    assert same(jax.device_get(result.state), jax.device_get(expected))
    assert int(result.state.skipped) == 1
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [(line["step"], line["not_finite"]) for line in lines if "not_finite" in line] == [
        (3, next(tmp_path.glob("bad-batch-3-*")).name)
    ]
    good = [i for i in range(6) if i != 2]
    assert lines[-1]["tokens"] == sum(made.batches[i].weights.sum() for i in good)


def test_two_bad_steps_in_a_row_are_both_left_out(tmp_path):
    made = poisoned((2, 3))
    with pytest.raises(replay.NotFinite, match=r"(?s)lower optimizer.learning_rate.*saved step 4"):
        loop.train(made, tmp_path)
    result = loop.train(made, tmp_path, start.find(tmp_path, "auto"))
    assert int(result.state.skipped) == 2
    assert {path.name for path in tmp_path.glob("bad-*")} == {
        "bad-batch-3-0.npz", "bad-batch-4-0.npz",
    }  # fmt: skip


@pytest.fixture
def compiled_as_users_do(monkeypatch):
    """Two programs round alike only where XLA fuses alike, which its cheap flags do not do."""
    chosen = steps.compiler_options
    monkeypatch.setattr(steps, "compiler_options", lambda config: chosen(config) | DEFAULT)


def test_fused_steps_are_the_same_steps(tmp_path, compiled_as_users_do):
    """Three steps in a call: one program, and every loss, as one by one."""
    config = SMALL.replace(run={"fused": 3})
    results = [run(SMALL, tmp_path / "single"), run(config, tmp_path / "fused")]
    assert same(*(jax.device_get(result.state) for result in results))
    assert (results[1].programs, results[1].recompiled) == (1, 0)
    losses = []
    for name in ("single", "fused"):
        lines = (tmp_path / name / "metrics.jsonl").read_text().splitlines()
        losses.append([(x["step"], x["loss"]) for x in map(json.loads, lines) if "loss" in x])
    assert losses[0] == losses[1] and len(losses[0]) == 6


def test_a_bad_step_among_fused_ones_is_left_out_alone(tmp_path, compiled_as_users_do):
    made = poisoned((1,))
    config = made.config.replace(run={"fused": 3, "eval_every": 99, "save_every": 99})
    fused = loop.prepare(config, made.corpus)
    fused = dataclasses.replace(fused, batches=made.batches)
    with pytest.raises(replay.NotFinite, match=r"(?s)step 2 was not finite.*saved step 6"):
        loop.train(fused, tmp_path)
    expected = loop.states.create(made.config, made.mesh)
    for i in range(6):
        expected, _ = made.step(expected, parallel.place(made.batches[i], made.mesh))
    result = loop.train(fused, tmp_path, start.find(tmp_path, "auto"))
    assert same(jax.device_get(result.state), jax.device_get(expected))
    assert [path.name for path in tmp_path.glob("bad-*")] == ["bad-batch-2-0.npz"]


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
    plain, shuffled = probes.context(made, result.state.params)
    assert plain < 2
    assert shuffled > plain + 1


def test_only_what_is_before_the_last_input_is_shuffled():
    made = job()
    batches = [made.held_out[i] for i in range(len(made.held_out))]
    plain, shuffled = probes.probes(batches)
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
    score = evaluate(made.eval_step, state.params, loop.one_epoch(made.held_out), made.mesh)
    targets = sum(len(document.targets) for document in made.corpus.held_out)
    assert score.targets == targets
    assert score.bits == pytest.approx(math.log2(64), rel=0.2)
    assert jax.process_count() == 1
