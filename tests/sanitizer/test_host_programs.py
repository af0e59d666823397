"""Programs on the host side of JAX: the same with and without us, and their faults are found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.sanitizer.pythons import interpreters
from tests.sanitizer.support import Result, found, marks, run

PROGRAMS = Path(__file__).parent / "programs"
PYTHONS = pytest.mark.parametrize("python", interpreters())


@PYTHONS
def test_results_tracebacks_and_references_are_the_same(python: str, tmp_path: Path):
    program = PROGRAMS / "host_api.py"
    results = [
        run(program, tmp_path / f"{on}.jsonl", python=interpreters()[python], on=on, env=_SAME_HASH)
        for on in (False, True)
    ]
    assert results[0].code == results[1].code == 0, results[1].err
    assert "freed True" in results[1].out
    assert results[0].out == results[1].out
    assert "host reads" not in results[1].run.degraded


@PYTHONS
@pytest.mark.parametrize("name", ["reads", "host_faults", "numpy_weights"])
def test_the_faults_are_found_and_nothing_else(name: str, python: str, tmp_path: Path):
    program = PROGRAMS / f"{name}.py"
    result = run(program, tmp_path / "run.jsonl", python=interpreters()[python])
    assert result.code == 0, result.err
    assert found(result) == marks(program), result.err
    if name == "reads":
        reads_are_recorded_by_line(program, result)


def reads_are_recorded_by_line(program: Path, result: Result) -> None:
    casts = {at: row for at, row in result.run.reads.items() if at[2] in ("__float__", "__bool__")}
    ((path, line, _), row), *_ = sorted(casts.items(), key=lambda item: -item[1]["waited"])
    assert Path(path).name == "reads.py"
    assert "float(" in program.read_text().splitlines()[line - 1]
    assert row["waited"] > 0.001
    read = {row["function"]: row["count"] for row in result.run.reads.values()}
    assert read["at_once"] == 60
    assert read["step_before"] == 59


@PYTHONS
@pytest.mark.parametrize("name", ["settings_late", "settings_early"])
def test_settings(name: str, python: str, tmp_path: Path):
    program = PROGRAMS / f"{name}.py"
    result = run(
        program,
        tmp_path / "run.jsonl",
        python=interpreters()[python],
        env={"CACHE": str(tmp_path / "cache")},
    )
    assert result.code == 0, result.err
    assert found(result) == marks(program), result.err


def test_the_cpu_beside_a_gpu_that_was_asked_for(tmp_path: Path):
    program = PROGRAMS / "settings_early.py"
    env = {"CACHE": str(tmp_path / "cache"), "JAX_PLATFORMS": "cuda,cpu"}
    result = run(program, tmp_path / "run.jsonl", env=env)
    assert found(result) == {(0, "silent-cpu-fallback/", "")}, result.err


def test_warnings_at_a_fork_are_the_same(tmp_path: Path):
    program = tmp_path / "forks.py"
    program.write_text(
        "import os, jax.numpy as jnp\n"
        "jnp.ones(3).block_until_ready()\n"
        "child = os.fork()\n"
        "if child == 0: os._exit(0)\n"
        "os.waitpid(child, 0)\n"
    )
    env = {"PYTHONWARNINGS": "always"}
    off, on = (
        run(program, tmp_path / f"{on}.jsonl", on=on, env=env, options="quiet=1")
        for on in (False, True)
    )
    warnings = [
        [re.sub(r"pid=\d+", "", line) for line in r.err.splitlines() if "forks.py" in line]
        for r in (off, on)
    ]
    assert warnings[0] == warnings[1] != []


_SAME_HASH = {"PYTHONHASHSEED": "0"}
