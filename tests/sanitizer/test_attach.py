"""Programs that are ended by a finding, and those in which the sanitizer starts late."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run.abort import reason
from gotcha_sanitizer.run.idle import listens
from gotcha_sanitizer.values.finding import Finding
from tests.sanitizer.processes import Done
from tests.sanitizer.support import SOURCES

pytest.importorskip("jax")
STORM = """
print("begins", flush=True)
for n in range(3, 40):
    try:
        step(jnp.ones(n * n))
    except BaseException:
        print("caught")
print("not reached")
"""


def found(severity: Any = "warning", programs: int = 3, **given: Any) -> Finding:
    evidence = {"programs": programs}
    return Finding("recompile", "", cause="shape", severity=severity, evidence=evidence, **given)


@pytest.mark.parametrize("word", ["recompile", "recompile/shape", "warning"])
def test_what_abort_on_names(word: str):
    options = Options(abort_on=(word,), warmup=2)
    assert reason([found()], options) == found()
    assert reason([found(programs=2), found("info")], options) is None
    assert reason([found()], Options(abort_on=("recompile/dtype",))) is None


def test_a_recompile_ends_the_program(go: Callable[..., Done]):
    done = go(STORM, "abort_on=recompile:warmup=4:exitcode=66:log_path=run.jsonl")
    assert done.code == 66 and done.out == "begins\n"
    assert "abort_on ends the program here" in done.err and "1 finding" in done.err
    kinds = [event["event"] for event in done.record()]
    assert kinds[-1] == "summary"
    steps = [e for e in done.record() if e["event"] == "program" and e["owner"] == "user"]
    assert 4 < len(steps) < 20


LATE = """
import sys, time
import jax, jax.numpy as jnp
print("runs", flush=True)
for n in range(3, 10_000):
    jax.jit(lambda x: x * n)(1.0)
    time.sleep(0.05)
"""


def _until(true: Callable[[], bool]) -> None:
    for _ in range(600):
        if true():
            return
        time.sleep(0.1)
    raise AssertionError("it took too long")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_attach(tmp_path: Path, cli: Any):
    (tmp_path / "train.py").write_text(LATE)
    boot = "from gotcha_sanitizer._startup import start; start(); exec(open('train.py').read())"
    settings = {
        "PYTHONPATH": SOURCES,
        "GOTCHA_SANITIZE": "idle",
        "GOTCHA_OPTIONS": "log_path=run.jsonl:color=never",
        "JAX_PLATFORMS": "cpu",
    }
    with (tmp_path / "out").open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-c", boot],
            cwd=tmp_path,
            env=os.environ | settings,
            stdout=out,
            stderr=out,
        )
    try:
        said = (tmp_path / "out").read_text
        _until(lambda: "runs" in said() and listens(process.pid))
        assert not (tmp_path / "run.jsonl").exists()
        code, told, _ = cli("attach", str(process.pid))
        assert code == 0 and "asked process" in told
        _until(lambda: "attached: what was" in said())
        _until(lambda: '"recompile"' in (tmp_path / "run.jsonl").read_text())
        assert process.poll() is None
    finally:
        process.kill()
        process.wait(30)


IN_THE_START_OF_A_BACKEND = """
import os, signal
import jax
from jax._src import xla_bridge
make = xla_bridge.make_cpu_client
def asked(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGUSR2)
    return make(*args, **kwargs)
xla_bridge.register_backend_factory("cpu", asked, priority=0)
for n in range(3, 8):
    jax.jit(lambda x: x * n)(1.0)
import time
time.sleep(0.5)
jax.jit(lambda x: x - 1)(1.0)
print("ends", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGUSR2")
def test_a_signal_while_jax_holds_a_lock(go: Callable[..., Done]):
    """Hooks that are set there would wait for the lock that their own thread holds."""
    done = go(IN_THE_START_OF_A_BACKEND, on="idle")
    assert done.code == 0 and "ends" in done.out
    assert "attached: what was" in done.err


def test_who_does_not_listen_is_left_alone(cli: Any):
    quiet = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        if not hasattr(sys, "remote_exec"):
            code, _, err = cli("attach", str(quiet.pid))
            assert code == 2 and "GOTCHA_SANITIZE=idle" in err
        assert quiet.poll() is None
    finally:
        quiet.kill()
        quiet.wait(30)
    assert "No such process" in cli("attach", str(quiet.pid))[2]


def test_elsewhere_than_on_linux_nobody_is_asked(monkeypatch: pytest.MonkeyPatch, cli: Any):
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.delattr("sys.remote_exec", raising=False)
    monkeypatch.setattr("gotcha_sanitizer.run.idle.listens", lambda pid: False)
    code, _, error = cli("attach", str(os.getpid()))
    assert code != 0 and "on Linux only" in error
