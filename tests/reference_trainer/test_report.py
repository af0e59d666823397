"""What a run says of itself: matrices, memory and the peak that its utilisation is a share of."""

from __future__ import annotations

import json

import pytest

from reference_trainer import metrics, parallel
from reference_trainer.run import peaks, report
from reference_trainer.run.presets import PRESETS
from reference_trainer.train import loop
from reference_trainer.train import state as states
from tests.reference_trainer.support import SMALL, TINY, job


def shapes(config):
    return states.abstract(config, parallel.device_mesh()).params


@pytest.mark.parametrize("layers", ["scan", "unroll"])
def test_matrices_are_told_by_the_shapes_of_the_parameters(layers):
    config = PRESETS["cpu_smoke"].replace(compute={"layers": layers})
    sizes = report.multiplied(config, shapes(config))
    assert sizes["layers.0.mixer.into.kernel (columns)"] == 424  # 422, and two that nothing reads
    assert sizes["layers.1.mlp.up.kernel (columns)"] == 4 * 96
    assert sizes["embed.0 (rows)"] == 256  # the head, transposed


def test_an_embedding_that_is_only_looked_up_is_no_matrix():
    config = PRESETS["chorales"]
    sizes = report.multiplied(config, shapes(config))
    assert not [name for name in sizes if name.startswith("embed")]
    assert sizes["heads.2 (rows)"] == 48


@pytest.mark.parametrize("batching", ["pack", "bucket"])
def test_before_a_run_its_step_is_compiled_once_for_all(batching, capsys):
    """What is asked for is read off the very program that runs."""
    made = job(
        TINY.replace(
            data={"batching": batching}, model={"state": 9, "features": (66,), "heads": (66,)}
        )
    )
    compiles = metrics.Compiles()
    report.before(made, "a note")
    output = capsys.readouterr().out
    state = states.create(made.config, made.mesh)
    each = {b.inputs.shape[1]: b for b in loop.one_epoch(made.batches)}
    assert sorted(each) == sorted(made.batches.lengths)
    batches = [parallel.place(batch, made.mesh) for batch in each.values()]
    before = compiles.count
    for batch in batches:
        state, _ = made.step(state, batch)
    assert compiles.count == before
    abstract = states.abstract(made.config, made.mesh)
    analysis = report.compiled(made, abstract, max(each)).memory_analysis()
    assert analysis is not None
    assert f"temporary {analysis.temp_size_in_bytes / 2**20:,.1f} MiB" in output
    assert "mixer.into (columns) is 154, padded to 160" in output
    assert "embed.0 (rows) is 66, not a multiple of 8" in output
    assert "a note" in output
    assert "no mfu: the dense peak of 'cpu' in float32 is not known" in output


@pytest.mark.parametrize("batching", ["pack", "bucket"])
def test_a_batch_that_the_data_do_not_fill_is_said(batching, capsys):
    """48 short documents: a few rows where they are packed."""
    config = SMALL.replace(data={"batching": batching, "batch": 64, "buckets": 2})
    made = job(config)
    report.before(made)
    output = capsys.readouterr().out
    for length, rows in made.batches.rows.items():
        assert 0 < rows < 64
        assert f"data.batch=64, and the data fill {rows} rows of {length} steps" in output
    assert sum(made.batches.rows.values()) == 48 or batching == "pack"
    report.before(job(SMALL))
    assert "and the data fill" not in capsys.readouterr().out


def test_the_peak_is_named_where_it_is_known(monkeypatch):
    monkeypatch.setitem(peaks.PEAKS, ("cpu", "float32"), 0.5)
    assert report.peak(TINY) == "mfu is relative to cpu float32 dense 0.5 TFLOP/s"


@pytest.mark.parametrize("tera", [None, 0.5])
def test_the_peak_stands_beside_the_numbers(tmp_path, monkeypatch, capsys, tera):
    if tera:
        monkeypatch.setitem(peaks.PEAKS, ("cpu", "float32"), tera)
    made = job(SMALL.replace(run={"steps": 2, "eval_every": 2, "save_every": 2}))
    result = loop.train(made, tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    shown = [(line["peak"], "mfu" in line) for line in lines if "loss" in line]
    assert shown == [("cpu float32 dense 0.5 TFLOP/s", True) if tera else ("unknown", False)] * 2
    report.after(made, result, tmp_path, baselines=False)
    assert "peak memory of a device: not reported by this backend" in capsys.readouterr().out
    monkeypatch.setattr(report.metrics, "memory", lambda: {"most in use": 3 * 2**20})
    report.after(made, result, tmp_path, baselines=False)
    assert "peak memory of a device: 3.0 MiB" in capsys.readouterr().out


@pytest.mark.parametrize("peak", [None, 3 * 2**20])
def test_each_loss_has_the_memory_in_use(tmp_path, monkeypatch, peak):
    """That of the process, and that of a device where the backend reports it."""
    monkeypatch.setattr(report.metrics, "memory", lambda: {"most in use": peak} if peak else {})
    made = job(SMALL.replace(run={"steps": 2, "eval_every": 2, "save_every": 2}))
    loop.train(made, tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    losses = [line for line in lines if "loss" in line]
    assert [line.get("device_peak_bytes") for line in losses] == [peak] * 2
    assert all(2**27 < line["host_peak_bytes"] < 2**40 for line in losses)
