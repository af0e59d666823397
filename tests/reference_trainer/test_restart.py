"""One command for every start: the first, after a kill at any moment, and when complete."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reference_trainer.train.checkpoint import Checkpoints
from tests.reference_trainer.support import environment

SETTINGS = [
    "model.width=32", "model.depth=1", "model.pattern=attention", "model.head_width=16",
    "data.length=64", "data.batch=4", "data.loader=simple", "run.steps=12", "run.eval_every=12",
    "run.save_every=4", "run.log_every=1",
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("restart")
    words = random.Random(0).choices(["the", "cat", "sat", "on", "a", "mat"], k=4000)
    lines = [" ".join(words[i : i + 12]) for i in range(0, 4000, 12)]
    (folder / "text.txt").write_text("\n\n".join(lines))
    return folder


def start(folder: Path, out: str, *more: str) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "reference_trainer", "train", "--data", "text.txt"]
    return subprocess.Popen(
        [*line, "--out", out, *SETTINGS, *more],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(folder: Path, out: str, *more: str) -> tuple[int, str, str]:
    process = start(folder, out, *more)
    said, errors = process.communicate(timeout=240)
    return process.returncode, said, errors


def losses(run: Path) -> dict[int, float]:
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return {line["step"]: line["loss"] for line in lines if "loss" in line}


@pytest.fixture(scope="module")
def straight(folder) -> dict[int, float]:
    code, _, errors = finished(folder, "straight")
    assert code == 0, errors[-3000:]
    return losses(folder / "straight")


def test_a_run_killed_before_its_first_checkpoint_starts_again(folder, straight):
    """Orbax's temporary folder of the save that was cut off is no checkpoint, and goes away."""
    left = folder / "early" / "checkpoints" / "4.orbax-checkpoint-tmp"
    (left / "state").mkdir(parents=True)
    (left / "state" / "half").write_text("half an array")
    code, _, errors = finished(folder, "early")
    assert code == 0, errors[-3000:]
    assert losses(folder / "early") == straight
    assert not left.exists()


def test_the_same_command_goes_on_and_says_when_it_is_complete(folder, straight):
    process = start(folder, "stopped", "run.save_every=1", "run.steps=400")
    while not (folder / "stopped" / "checkpoints" / "2").is_dir():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.kill()
    process.communicate()
    with Checkpoints(folder / "stopped" / "checkpoints") as checkpoints:
        before = checkpoints.steps()[-1]
    process = start(folder, "stopped", "run.save_every=1", "run.steps=400")
    while max(losses(folder / "stopped")) < before + 5:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    said, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors[-3000:]
    assert f"goes on after step {before}" in said
    assert "the same command goes on" in said


def test_a_complete_run_is_not_run_again(folder, straight):
    code, said, errors = finished(folder, "straight")
    assert (code, "is complete, with 12 steps" in said) == (0, True), errors[-3000:]
    assert losses(folder / "straight") == straight


def test_a_report_that_was_cut_off_is_made_up_for(folder, straight):
    (folder / "straight" / "baselines.json").unlink()
    code, said, errors = finished(folder, "straight")
    assert (code, "this model" in said) == (0, True), errors[-3000:]
    assert (folder / "straight" / "baselines.json").exists()


def test_other_settings_are_refused_with_a_diff(folder, straight):
    code, _, errors = finished(folder, "straight", "optimizer.learning_rate=1")
    assert code == 2
    assert "optimizer.learning_rate: 0.004 (saved), 1.0 (asked for)" in errors
    assert "--resume" in errors


def test_never_and_always(folder, straight):
    code, _, errors = finished(folder, "straight", "--resume=never")
    assert (code, "straight holds a run" in errors) == (2, True)
    (folder / "empty" / "checkpoints" / "4.orbax-checkpoint-tmp").mkdir(parents=True)
    line = [sys.executable, "-m", "reference_trainer", "train", "--out", "empty", "--resume"]
    done = subprocess.run(line, cwd=folder, env=environment(), capture_output=True, text=True)
    assert done.returncode == 2
    assert "no checkpoint" in done.stderr and "leave out --resume" in done.stderr


@pytest.mark.slow
def test_fifty_kills_change_nothing(folder, straight):
    """At random moments, early ones among them; always the same command; bit by bit."""
    kills, killed, runs, rng = int(os.environ.get("TRAINER_KILLS", "50")), 0, 0, random.Random(1)
    began = time.monotonic()
    assert finished(folder, "timed", "run.save_every=2")[0] == 0
    whole = time.monotonic() - began
    while killed < kills:
        runs += 1
        while code := ended(start(folder, f"killed-{runs}", "run.save_every=2"), rng, whole):
            assert code == -signal.SIGKILL
            killed += 1
        assert losses(folder / f"killed-{runs}") == straight
    print(f"{killed} kills, {runs} runs")


def ended(process: subprocess.Popen[str], rng: random.Random, whole: float) -> int:
    """The exit code of a command that is killed at some moment, unless it ends before."""
    try:
        process.communicate(timeout=rng.uniform(0.1, 1.3) * whole)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
    return process.returncode
