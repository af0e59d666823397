"""One run in a folder at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reference_trainer.run.lock import Locked, lock
from tests.reference_trainer.support import ROOT, environment
from tests.reference_trainer.test_restart import finished, start

HOLDER = """
import sys, time
from pathlib import Path
from reference_trainer.run.lock import lock
with lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "run")],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_second_run_is_refused_and_told_who_holds_the_folder(holder, tmp_path):
    refused = pytest.raises(Locked, match=rf"process {holder.pid} on .* is training in .*run")
    with refused, lock(tmp_path / "run"):
        raise AssertionError("both hold it")
    assert json.loads((tmp_path / "run" / "run.lock").read_text())["process"] == holder.pid


def test_the_lock_of_a_process_that_was_killed_is_stale(holder, tmp_path):
    holder.kill()
    holder.wait()
    assert (tmp_path / "run" / "run.lock").exists()
    with lock(tmp_path / "run"):
        held = json.loads((tmp_path / "run" / "run.lock").read_text())
        assert held["process"] == os.getpid()
    assert not (tmp_path / "run" / "run.lock").exists()


def test_a_lock_file_from_another_machine_that_is_gone_is_stale(tmp_path):
    (tmp_path / "run.lock").write_text('{"host": "elsewhere", "process": 1, "since": "yesterday"}')
    with lock(tmp_path):
        pass


def test_a_lock_file_that_is_half_written_is_stale(tmp_path):
    (tmp_path / "run.lock").write_text('{"host"')
    with lock(tmp_path):
        pass


def test_nothing_is_left_behind(tmp_path):
    with lock(tmp_path / "run"):
        assert (tmp_path / "run").is_dir()
    assert not (tmp_path / "run").exists()
    (tmp_path / "kept").mkdir()
    with lock(tmp_path / "kept"):
        pass
    assert (tmp_path / "kept").is_dir()


def test_a_second_command_leaves_the_first_alone(tmp_path):
    (tmp_path / "text.txt").write_text("\n\n".join(f"line {i} of many" for i in range(300)))
    first = start(tmp_path, "run", "run.steps=100000")
    try:
        metrics = tmp_path / "run" / "metrics.jsonl"
        while not (metrics.exists() and metrics.read_text()):
            assert first.poll() is None, first.communicate()
        before = metrics.read_text()
        code, _, errors = finished(tmp_path, "run", "run.steps=100000")
        assert code == 2
        assert errors.startswith(f"reference_trainer: process {first.pid} on ")
        assert len(errors.splitlines()) == 1
        assert first.poll() is None
        assert metrics.read_text().startswith(before)
    finally:
        first.kill()
        first.communicate()


def test_reading_needs_no_lock(holder, tmp_path):
    """`eval` and `sample` may look at a run that is going on."""
    line = [sys.executable, "-m", "reference_trainer", "sample", "--out", "run"]
    done = subprocess.run(line, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert "is training in" not in done.stderr
    assert "no run in run" in done.stderr
    assert Path(tmp_path / "run" / "run.lock").exists()
