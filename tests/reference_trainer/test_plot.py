"""The plot shows all baselines with readable names, and reads what a run writes."""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path

import pytest

from reference_trainer.extras import plot as module
from reference_trainer.extras.plot import PlotError, limits, plot, read

CLOSE = {f"order-{order}": 1.8 + order / 1000 for order in range(12)}


def write(folder: Path, *lines: object) -> Path:
    path = folder / "metrics.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def run(folder: Path, steps: int = 30) -> Path:
    """A loss that falls from 8 bits, and an evaluation every ten steps."""
    lines = []
    for step in range(1, steps + 1):
        bits = 2 + 6 / step
        lines.append({"step": step, "loss": bits * math.log(2), "tokens": 100.0 * step})
        if step % 10 == 0:
            lines.append({"step": step, "eval_bits": bits + 0.1, "tokens": 100.0 * step})
    return write(folder, *lines)


def test_losses_are_read_in_bits_against_targets_seen(tmp_path):
    training, held_out = read(run(tmp_path))
    assert training.seen[:3] == [100, 200, 300]
    assert training.bits[:3] == pytest.approx([8, 5, 4])
    assert held_out.seen == [1000, 2000, 3000]
    assert held_out.bits == pytest.approx([2.7, 2.4, 2.3])


def test_steps_run_again_after_a_restart_count_once(tmp_path):
    """As run last, and in their place."""
    run_so = [(1, 3.0), (3, 9.0), (4, 9.0), (2, 2.0), (3, 1.0)]
    lines = [{"step": step, "loss": loss, "tokens": 10 * step} for step, loss in run_so]
    training, _ = read(write(tmp_path, *lines))
    assert training.seen == [10, 20, 30, 40]
    assert training.bits == pytest.approx([loss / math.log(2) for loss in (3, 2, 1, 9)])


def test_losses_that_are_not_finite_are_left_out(tmp_path):
    lines = [{"step": 1, "loss": 1.0, "tokens": 1}, {"step": 2, "loss": "nan", "tokens": 2}]
    assert read(write(tmp_path, *lines))[0].seen == [1]


def test_a_half_written_last_line_is_no_error(tmp_path):
    path = run(tmp_path)
    whole = read(path)
    path.write_text(path.read_text() + '{"step": 31, "lo')
    assert read(path) == whole


@pytest.mark.parametrize("bad", ["{", "[1]", "3", '{"step": 1}', '{"step": null, "tokens": 1}'])
def test_a_broken_line_elsewhere_is_named(tmp_path, bad):
    path = run(tmp_path)
    path.write_text(f"{bad}\n{path.read_text()}")
    with pytest.raises(PlotError, match="line 1"):
        read(path)


def test_no_metrics(tmp_path):
    with pytest.raises(PlotError, match="No such file"):
        read(tmp_path / "metrics.jsonl")
    with pytest.raises(PlotError, match="no losses"):
        read(write(tmp_path))


def test_the_picture_is_about_baselines_and_held_out_losses(tmp_path):
    training, held_out = read(run(tmp_path))
    low, high = limits(training, held_out, [1.0, 3.0])
    assert low < 1.0
    assert 3.0 < high < max(training.bits)
    low, high = limits(training, module.Curve([], []), [])
    assert low < min(training.bits)
    assert max(training.bits) < high


def test_the_picture_names_every_baseline_in_the_order_of_the_lines(tmp_path):
    pytest.importorskip("matplotlib")
    target = tmp_path / "new folder" / "losses.svg"
    plot(run(tmp_path), CLOSE | {"hold-last accuracy": 0.7}, target)
    found = re.findall(r"<!-- [\d.]+  (.*?) -->", target.read_text())
    assert found == sorted(CLOSE, key=CLOSE.__getitem__, reverse=True)


def test_png_and_a_run_without_evaluations_or_baselines(tmp_path):
    pytest.importorskip("matplotlib")
    plot(run(tmp_path, steps=5), {}, tmp_path / "losses.png")
    assert (tmp_path / "losses.png").read_bytes().startswith(b"\x89PNG")


def test_other_kinds_of_files_are_refused(tmp_path):
    with pytest.raises(PlotError, match=r"\.png or \.svg"):
        plot(run(tmp_path), {}, tmp_path / "losses.gif")


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    pytest.importorskip("matplotlib")
    metrics = run(tmp_path)
    with pytest.raises(PlotError, match=r"losses\.svg: "):
        plot(metrics, {}, metrics / "losses.svg")


def test_without_matplotlib_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(PlotError, match="pip install matplotlib"):
        plot(run(tmp_path), {}, tmp_path / "losses.svg")
