"""One command for every start: the first, after a kill at any moment, and when complete."""

from __future__ import annotations

import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from reference_trainer import parallel
from reference_trainer.run.settings import from_json
from reference_trainer.train import state as states
from reference_trainer.train.checkpoint import Checkpoints
from reference_trainer.train.state import TrainState
from tests.reference_trainer.support import environment, same

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
    output, errors = process.communicate(timeout=240)
    return process.returncode, output, errors


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
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors[-3000:]
    assert f"goes on after step {before}" in output
    assert "the same command goes on" in output


def test_a_complete_run_is_not_run_again(folder, straight):
    code, output, errors = finished(folder, "straight")
    assert (code, "is complete, with 12 steps" in output) == (0, True), errors[-3000:]
    assert losses(folder / "straight") == straight


def test_a_report_that_was_cut_off_is_made_up_for(folder, straight):
    (folder / "straight" / "baselines.json").unlink()
    code, output, errors = finished(folder, "straight")
    assert (code, "this model" in output) == (0, True), errors[-3000:]
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
    """One unchanged command, killed at moments spread over the life of a run, until it is complete.

    A kill comes soon after the folder is locked, a save begins, a save is there or a step is
    written: on a slow machine, too, runs get to their end. Losses and the last state are the same
    bits.
    """
    kills, rng = int(os.environ.get("TRAINER_KILLS", "50")), random.Random(1)
    found, runs = Counter[str](), 0
    while found.total() < kills:
        out = folder / f"killed-{(runs := runs + 1)}"
        moment = rng.choice(list(MOMENTS))
        while code := ended(start(folder, out.name, "run.save_every=2"), out, moment, rng):
            assert code == -signal.SIGKILL
            found[reached(out)] += 1
            moment = rng.choice(list(MOMENTS)) if found.total() < kills else "never"
        assert losses(out) == straight
        assert same(last_state(out), last_state(folder / "straight"))
    print(f"{found.total()} kills in {runs} runs: {dict(found)}")
    if kills >= 50:
        assert runs > 1
        assert found["before any save"] + found["in the first save"] >= 5
        assert found["in a save"] + found["between saves"] + found["at the end"] >= 15


def ended(process: subprocess.Popen[str], out: Path, moment: str, rng: random.Random) -> int:
    """The exit code of a command that is killed soon after some moment, unless it ends before."""
    began, end = time.time(), math.inf
    while process.poll() is None and moment != "never":
        if end == math.inf and appeared(out, MOMENTS[moment], began):
            end = time.monotonic() + rng.uniform(0, 0.1)
        if time.monotonic() >= end:
            process.kill()
            break
        time.sleep(0.002)
    _, errors = process.communicate()
    assert process.returncode in (0, -signal.SIGKILL), errors[-3000:]
    return process.returncode


MOMENTS = {  # what a process writes then, in the folder of its run
    "locked": r"run\.lock",
    "saving": r"checkpoints/.*tmp.*",
    "saved": r"checkpoints/\d+",
    "stepping": r"metrics\.jsonl",
}


def appeared(out: Path, pattern: str, since: float) -> bool:
    """Whether this process wrote such a file: a killed one leaves its own."""
    with suppress(FileNotFoundError):  # gone between the two calls
        for path in (*out.glob("*"), *out.glob("checkpoints/*")):
            matches = re.fullmatch(pattern, path.relative_to(out).as_posix())
            if matches and path.stat().st_mtime >= since:
                return True
    return False


def reached(out: Path) -> str:
    """What a killed run had come to."""
    names = [path.name for path in out.glob("checkpoints/*")]
    steps = [int(name) for name in names if name.isdigit()]
    if len(steps) < len(names):
        return "in a save" if steps else "in the first save"
    return ("at the end" if max(steps) == 12 else "between saves") if steps else "before any save"


def last_state(out: Path) -> TrainState:
    with Checkpoints(out / "checkpoints") as checkpoints:
        config = from_json(checkpoints.read().config)
        return checkpoints.restore(states.abstract(config, parallel.device_mesh()))
