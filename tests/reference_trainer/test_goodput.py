"""Where the time of a run goes: every second has a name, and steps done again do not count."""

from __future__ import annotations

import json
import time

import pytest

from reference_trainer.run import start
from reference_trainer.run.goodput import Goodput
from tests.reference_trainer.support import SMALL, run


def test_the_seconds_add_up_and_steps_done_again_do_not_count(tmp_path):
    lines = [{"step": 1, "loss": 2.0}, {"step": 7, "loss": 2.0}, {"step": 9, "eval_bits": 1.0}]
    text = "\n".join(map(json.dumps, lines)) + '\n{"step": 99, "lo'  # cut off by a kill
    (tmp_path / "metrics.jsonl").write_text(text)
    spent = Goodput()
    spent.begin(tmp_path, 4)
    assert spent.redone == 3
    with spent.on("saves"):
        time.sleep(0.02)
    time.sleep(0.02)
    found = spent.end(10)
    parts = ["steps", "redone", "saves", "compiles"]
    assert sum(found[f"{name}_seconds"] for name in parts) == pytest.approx(
        found["total_seconds"], abs=0.01
    )
    assert found["redone_seconds"] == pytest.approx(
        (found["steps_seconds"] + found["redone_seconds"]) * 3 / 6, abs=0.01
    )
    assert found["goodput"] == pytest.approx(
        found["steps_seconds"] / found["total_seconds"], abs=0.05
    )
    assert "3 steps after the last checkpoint" in str(spent)


def test_a_run_ends_with_it_and_a_resumed_one_counts_what_it_does_again(tmp_path):
    config = SMALL.replace(run={"save_every": 3})
    first = run(config, tmp_path)
    last = json.loads((tmp_path / "metrics.jsonl").read_text().splitlines()[-1])
    assert 0 <= last["goodput"] <= 1 and last["step"] == 6
    assert str(first.goodput).startswith("goodput ")
    start.set_aside(tmp_path / "checkpoints", 3)  # as if killed after step 6, before its save
    again = run(config, tmp_path, resume=True)
    assert again.goodput.redone == 3
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert lines[-1]["redone_seconds"] > 0
    assert all(line["host_peak_bytes"] > 0 for line in lines if "loss" in line)
