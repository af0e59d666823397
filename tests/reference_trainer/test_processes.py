"""Two real processes on one machine: the same run as one process, killed and resumed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from reference_trainer.run.start import newest_whole
from reference_trainer.train.checkpoint import Checkpoints
from tests.reference_trainer.support import ROOT, environment

PROGRAM = '''
import os, signal, sys, time
from pathlib import Path
from reference_trainer.run import machine
machine.choose("cpu", sys.argv[1])
import jax
from reference_trainer.train import loop
from tests.reference_trainer.support import TINY, run
folder, (steps, kind, loader, how) = Path(sys.argv[2]), sys.argv[3:]

class Dies(loop.Stop):
    """Gone at step 5, when step 3 is saved: between two saves."""
    def requested(self, step):
        if step == 5:
            while not (folder / "checkpoints" / "3").is_dir():
                time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGKILL)
        return super().requested(step)

if how == f"{jax.process_index()} dies":
    loop.Stop = Dies
config = TINY.replace(
    run={"steps": int(steps), "save_every": 3, "parallel": kind}, data={"loader": loader}
)
result = run(config, folder, resume=how == "resumed")
print(jax.process_count(), result.stopped, int(result.state.step))
'''


def address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def start(
    folder: Path, processes: int, steps: int, kind: str, loader: str = "simple", how: str = ""
) -> list[subprocess.Popen]:
    place, pipe = address(), subprocess.PIPE
    return [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                PROGRAM,
                f"{place},{processes},{own}" if processes > 1 else "none",
                *(str(folder), str(steps), kind, loader, how),
            ],
            cwd=ROOT,
            env=environment(),
            stdout=pipe,
            stderr=pipe,
            text=True,
        )
        for own in range(processes)
    ]


def finished(running: list[subprocess.Popen]) -> list[str]:
    results = [process.communicate(timeout=240) for process in running]
    for process, (_, errors) in zip(running, results, strict=True):
        assert process.returncode == 0, errors[-3000:]
    return [out.strip().rpartition("\n")[2] for out, _ in results]


def losses(folder: Path, name: str = "metrics.jsonl") -> dict[int, float]:
    lines = [json.loads(line) for line in (folder / name).read_text().splitlines()]
    return {line["step"]: line["loss"] for line in lines if "loss" in line}


def wait_for(folder: Path, step: int, running: list[subprocess.Popen]) -> None:
    deadline = time.monotonic() + 120
    while not (folder / "checkpoints" / str(step)).is_dir():
        assert time.monotonic() < deadline, [p.communicate() for p in running if p.poll()]
        time.sleep(0.1)


def kill(running: list[subprocess.Popen]) -> None:
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> dict[int, float]:
    folder = tmp_path_factory.mktemp("alone")
    finished(start(folder, 1, 9, "dp"))
    return losses(folder)


@pytest.mark.parametrize(
    ("kind", "loader"),
    [("fsdp", "grain"), pytest.param("dp", "simple", marks=pytest.mark.slow)],
)
def test_two_processes_are_one_run_also_after_a_kill(alone, tmp_path, kind, loader):
    """Saved together; one dies, both are started again: every loss is that of a run that did not
    stop."""
    running = start(tmp_path, 2, 9, kind, loader, "1 dies")
    running[1].communicate(timeout=240)
    assert running[1].returncode == -signal.SIGKILL
    kill(running)
    assert max(losses(tmp_path)) < 6
    assert finished(start(tmp_path, 2, 9, kind, loader, "resumed")) == ["2  9"] * 2
    first, second = losses(tmp_path), losses(tmp_path, "metrics-1.jsonl")
    assert first == second
    assert sorted(first) == sorted(alone)
    np.testing.assert_allclose([first[n] for n in alone], list(alone.values()), rtol=2e-5)


@pytest.mark.parametrize("kind", ["dp", pytest.param("fsdp", marks=pytest.mark.slow)])
def test_the_losses_are_those_of_one_process(alone, tmp_path, kind):
    assert finished(start(tmp_path, 2, 9, kind)) == ["2  9"] * 2
    found = losses(tmp_path)
    assert found.keys() == alone.keys()
    np.testing.assert_allclose(list(found.values()), list(alone.values()), rtol=2e-5)


def test_the_command_joins_processes(tmp_path):
    """To the end: evaluation and report need all processes too."""
    (tmp_path / "text.txt").write_text("\n\n".join(f"line {i} of many" for i in range(300)))
    place, pipe = address(), subprocess.PIPE
    settings = ["model.width=32", "model.depth=2", "data.length=64", "data.batch=4", "run.steps=4"]
    running = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "reference_trainer", "train", "--platform", "cpu"),
                *("--distributed", f"{place},2,{own}", "--data", "text.txt", "--out", "run"),
                *settings,
            ],
            cwd=tmp_path,
            env=environment(),
            stdout=pipe,
            stderr=pipe,
            text=True,
        )
        for own in range(2)
    ]
    assert "losses.svg" in finished(running)[0]
    assert (tmp_path / "run" / "metrics-1.jsonl").exists()


@pytest.mark.parametrize("dead", [0, 1], ids=["the coordinator", "the other"])
def test_who_loses_the_others_says_so_and_leaves(tmp_path, dead):
    """At once, with exit code 1 and one line; what was saved is whole."""
    running = start(tmp_path, 2, 9999, "dp", how=f"{dead} dies")
    running[dead].communicate(timeout=240)
    began = time.monotonic()
    _, errors = running[1 - dead].communicate(timeout=240)
    assert time.monotonic() - began < 30  # JAX itself waits 100 s for a sign of life
    left, output = running[1 - dead].returncode, errors.count("process of this run is gone")
    if dead != 0 or left != -signal.SIGABRT:  # without its coordinator JAX aborts: who is first?
        assert (left, output) == (1, 1), errors[-3000:]
        assert "Traceback" not in errors
    with Checkpoints(tmp_path / "checkpoints") as checkpoints:
        assert newest_whole(checkpoints) == (3, [])


def test_sigterm_to_one_stops_both(tmp_path):
    running = start(tmp_path, 2, 9999, "dp")
    wait_for(tmp_path, 3, running)
    running[1].send_signal(signal.SIGTERM)
    results = finished(running)
    assert results[0] == results[1]
    assert results[0].startswith("2 SIGTERM")


JOIN = """
from reference_trainer.run import machine
machine.choose("cpu", "auto")
import jax
print(jax.process_count(), jax.process_index(), jax.device_count())
"""


def job_id() -> int:
    """JAX takes the port 61440 + job % 4096."""
    for n in range(4096):
        job = (os.getpid() + n) % 4096
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", 61440 + job))
            return job + 4096
    raise AssertionError("no free port")


def test_a_slurm_job_is_joined():
    job, pipe = str(job_id()), subprocess.PIPE
    slurm = {"SLURM_JOB_ID": job, "SLURM_STEP_NODELIST": "localhost", "SLURM_NTASKS": "2"}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", JOIN],
            cwd=ROOT,
            env=environment() | slurm | {"SLURM_PROCID": str(own), "SLURM_LOCALID": str(own)},
            stdout=pipe,
            stderr=pipe,
            text=True,
        )
        for own in range(2)
    ]
    assert finished(running) == ["2 0 2", "2 1 2"]
