"""Two real processes on one machine: the same run as one process, killed and resumed."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.reference_trainer.support import ROOT, environment

PROGRAM = """
import sys
from pathlib import Path
from reference_trainer import machine
machine.choose("cpu", sys.argv[1])
import jax
from tests.reference_trainer.support import TINY, run
config = TINY.replace(run={"steps": int(sys.argv[3]), "save_every": 3, "parallel": sys.argv[4]})
result = run(config, Path(sys.argv[2]), resume=len(sys.argv) > 5)
print(jax.process_count(), result.stopped, int(result.state.step))
"""


def address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def start(folder: Path, processes: int, *args: str) -> list[subprocess.Popen]:
    place, pipe = address(), subprocess.PIPE
    return [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                PROGRAM,
                f"{place},{processes},{own}" if processes > 1 else "none",
                str(folder),
                *args,
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
    told = [process.communicate(timeout=240) for process in running]
    for process, (_, errors) in zip(running, told, strict=True):
        assert process.returncode == 0, errors[-3000:]
    return [out.strip().rpartition("\n")[2] for out, _ in told]


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
    finished(start(folder, 1, "9", "dp"))
    return losses(folder)


def test_two_processes_are_one_run_also_after_a_kill(alone, tmp_path):
    """FSDP over two processes, saved together; one dies, both are started again."""
    running = start(tmp_path, 2, "9999", "fsdp")
    wait_for(tmp_path, 3, running)
    kill(running)
    with (tmp_path / "metrics.jsonl").open() as lines:
        assert json.loads(lines.readline())["step"] == 1
    newest = max(int(p.name) for p in (tmp_path / "checkpoints").iterdir() if p.name.isdigit())
    told = finished(start(tmp_path, 2, str(newest + 3), "fsdp", "resume"))
    assert told == [f"2  {newest + 3}"] * 2
    first, second = losses(tmp_path), losses(tmp_path, "metrics-1.jsonl")
    assert first == second


@pytest.mark.parametrize("kind", ["dp", pytest.param("fsdp", marks=pytest.mark.slow)])
def test_the_losses_are_those_of_one_process(alone, tmp_path, kind):
    assert finished(start(tmp_path, 2, "9", kind)) == ["2  9"] * 2
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


def test_sigterm_to_one_stops_both(tmp_path):
    running = start(tmp_path, 2, "9999", "dp")
    wait_for(tmp_path, 3, running)
    running[1].send_signal(signal.SIGTERM)
    told = finished(running)
    assert told[0] == told[1]
    assert told[0].startswith("2 SIGTERM")
