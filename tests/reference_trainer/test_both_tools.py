"""The linter and the sanitizer find nothing in the trainer, and nothing is hidden from them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from reference_trainer.data.batching import Batches
from reference_trainer.run.presets import PRESETS
from reference_trainer.run.settings import overridden
from reference_trainer.sources import load
from tests.reference_trainer.support import ROOT, environment

TRAINER = ROOT / "reference_trainer"
TOOLS = [str(ROOT / "lint"), str(ROOT / "sanitizer"), str(ROOT)]
SMALL = [
    "model.width=32", "model.depth=2", "model.pattern=ssm,attention", "model.head_width=16",
    "model.state=8", "model.dropout=0.1", "data.length=64", "data.batch=4", "run.eval_every=4",
    "run.save_every=4", "run.log_every=2", "optimizer.accumulate=2",
]  # fmt: skip


@pytest.mark.slow  # `make check` lints it with the rest of the repository
def test_the_linter_finds_nothing(tmp_path):
    """Without configuration, nothing allowed or left out."""
    (tmp_path / "gotcha.toml").write_text("")
    config = ["--config", str(tmp_path / "gotcha.toml")]
    command = [sys.executable, "-m", "gotcha_lint", *config, str(TRAINER)]
    env = environment() | {"PYTHONPATH": ":".join(TOOLS)}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    for file in TRAINER.rglob("*.py"):
        assert "gotcha: allow" not in file.read_text()


def sanitized(folder: Path, *args: str) -> list[dict]:
    """The events of a run under the sanitizer."""
    options = "log_path=run-%p.jsonl:min_const_bytes=100K"
    env = environment() | {"PYTHONPATH": ":".join(TOOLS), "GOTCHA_OPTIONS": options}
    command = [sys.executable, "-m", "gotcha_sanitizer", "-m", "reference_trainer", *args]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    (record,) = folder.glob("run-*.jsonl")
    events = [json.loads(line) for line in record.read_text().splitlines()]
    record.unlink()
    return events


def ragged(text: Path, settings: list[str]) -> list[int]:
    """Rows that only fill a batch up, of those trained on in an epoch and of those held out."""
    files = PRESETS["cpu_smoke"].replace(
        data={"source": "files", "paths": (str(text),), "limit": 0}
    )
    data = overridden(files, settings).data
    corpus = load(data)
    batches = [Batches(part, data, shuffle=False) for part in (corpus.train, corpus.held_out)]
    assert len(batches[0]) <= 10  # the run comes to the last one
    assert len(batches[0].lengths) == (2 if data.batching == "bucket" else 1)
    return [
        sum(int((each[i].weights.sum(axis=1) == 0).sum()) for i in range(len(each)))
        for each in batches
    ]


@pytest.mark.parametrize("batching", ["pack", pytest.param("bucket", marks=pytest.mark.slow)])
def test_the_sanitizer_finds_nothing(tmp_path, batching):
    """A run with evaluation, a ragged last batch, saves and prefetch, and one that goes on."""
    text = "\n\n".join(
        f"def number_{i}():\n    return {'-' * (10 + i % 2 * 18)}{i}" for i in range(30)
    )
    (tmp_path / "text.txt").write_text(text)
    settings = [*SMALL, f"data.batching={batching}"]
    assert min(ragged(tmp_path / "text.txt", settings)) > 0
    first = ["train", "--data", "text.txt", "--out", "run", *settings, "run.steps=10"]
    again = ["train", "--resume", "--out", "run", "run.steps=14"]
    for args in (first, again):
        events = sanitized(tmp_path, *args)
        found = [event for event in events if event["event"] == "finding"]
        if batching == "bucket":  # one program for each length, and a note for each but the first
            found = [f for f in found if (f["severity"], f["cause"]) != ("info", "shape")]
        assert found == []
        compiled = [event for event in events if event["event"] == "compile"]
        assert any("step" in str(event) for event in compiled)  # it did watch
