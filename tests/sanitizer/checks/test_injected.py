"""A fault in any of our listeners and hooks: the program's results are the same, and it is told."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import Any

import pytest

import gotcha_sanitizer as gotcha
from gotcha_sanitizer.hooks import private
from gotcha_sanitizer.notebook import Notebook
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run import session
from tests.sanitizer.support import SOURCES

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

FAULTS = [  # (module, name, in which degraded line it is told)
    ("hooks.compiling", "Compiling._looked_up", "compile events"),
    ("hooks.environment", "Environment._count", "environment"),
    ("hooks.staleness", "tell", "end"),
    ("hooks.watches", "Watches.watch", "compile events"),
    ("hooks.watches", "Watches.all", "end"),
    ("hooks.watches", "Watch.changed", "compile events"),
    ("hooks.jaxpr.keys", "look", "gotcha_sanitizer.hooks.jaxpr.keys"),
    ("hooks.jaxpr.zero_gradients", "look", "gotcha_sanitizer.hooks.jaxpr.zero_gradients"),
    ("hooks.nan_origin", "Origins.keep", "gotcha_sanitizer.hooks.nan_origin"),
    ("hooks.traces", "Traces.keep", "compile events"),
    ("hooks.hosts", "Hosts.last", "end"),
    ("hooks.hosts.published", "of_call", "hosts"),
    ("hooks.internals", "hosts", "end"),
    pytest.param("hooks.calls", "Calls.add", "compile events", marks=pytest.mark.monitoring),
    pytest.param("hooks.calls", "Calls.arm", "ticker", marks=pytest.mark.monitoring),
    pytest.param("hooks.calls", "Calls._called", "calls", marks=pytest.mark.monitoring),
    pytest.param("hooks.calls", "Calls._missed", "slow calls", marks=pytest.mark.monitoring),
]


def program() -> list[float]:
    scale = 2.0

    def step(x: Any) -> Any:
        return x * scale

    jitted, results = jax.jit(step), []
    for size in (3, 4, 3, 4):
        for _ in range(3):
            results.append(jitted(jnp.ones(size)).sum())
            time.sleep(0.03)  # for the ticker: calls are looked at now and then
    loss = jax.jit(jax.grad(lambda w, x: (jnp.round(w) * x).sum()))
    results.append(loss(jnp.ones(3), jnp.ones(3)).sum())
    seen = jax.jit(lambda x: (jax.debug.callback(lambda v: None, x), x * 2)[1])
    results += [seen(float(n)) for n in range(6)]
    return [float(each) for each in results]


@pytest.fixture(scope="module")
def plain() -> list[float]:
    gotcha.stop()
    return program()


@pytest.mark.parametrize(("module", "name", "feature"), FAULTS)
def test_a_fault(module: str, name: str, feature: str, plain, monkeypatch, tmp_path):
    *outer, last = name.split(".")
    holder: Any = importlib.import_module(f"gotcha_sanitizer.{module}")
    for each in outer:
        holder = getattr(holder, each)

    def fail(*args: Any, **kwargs: Any) -> Any:
        raise ZeroDivisionError("planted")

    assert callable(getattr(holder, last))
    monkeypatch.setattr(holder, last, fail)
    gotcha.stop()
    watched = session.start(Options(quiet=True))
    for event in (private.CACHE_REQUEST, private.CACHE_MISS):  # as the persistent cache says
        jax.monitoring.record_event(event)
    assert program() == plain
    time.sleep(0.1)
    gotcha.stop()
    assert "ZeroDivisionError: planted" in watched.run.degraded.get(feature, ""), (
        watched.run.degraded
    )


class Touchy:
    """Its attributes are the user's code, and not for us to run."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"{name} was asked for")

    def __call__(self) -> float:
        return 1.0


@pytest.mark.monitoring
def test_objects_that_are_called_beside_jitted_functions_are_left_alone(monkeypatch):
    gotcha.stop()
    watched = session.start(Options(quiet=True))
    step, touchy, total = jax.jit(lambda x: x + 1), Touchy(), 0.0
    for _ in range(8):
        total += float(step(touchy()))
        time.sleep(0.03)
    gotcha.stop()
    assert total == 16.0 and "calls" not in watched.run.degraded


@pytest.mark.parametrize("name", ["_before", "_after", "_number", "_new", "_spent"])
def test_a_fault_in_the_notebook(name: str, monkeypatch, capsys):
    gotcha.stop()
    watched = session.start(Options(quiet=True))

    def fail(*args: Any) -> Any:
        raise ZeroDivisionError("planted")

    shell = SimpleNamespace(compile=SimpleNamespace(_filename_map={}), execution_count=1)
    notebook = Notebook(shell, watched)
    monkeypatch.setattr(notebook, name, fail)
    notebook.before(SimpleNamespace(raw_cell="1"))
    notebook.after(SimpleNamespace(execution_count=1, info=None, error_in_exec=None))
    gotcha.stop()
    assert capsys.readouterr().out == ""
    assert watched.run.degraded["notebook"] == "ZeroDivisionError: planted"


IN_PYTEST = (
    "user.pytest_watch:State.now",
    "user.pytest_watch:_is_wide",
    *(
        f"user.pytest_watch:Watch.{name}"
        for name in ("_close", "_fail_on_compiles", "_fail_on_findings", "_explain", "_finish")
    ),
    "user.pytest_summary:lines",
    "user.pytest_summary:_findings",
    "run.session:Session.renew",
)
# Each in a fork of its own: pytest and JAX are imported once.
DRIVER = """
import os, sys
import jax.numpy, pytest
for folder in sys.argv[1:]:
    if child := os.fork():
        os.waitpid(child, 0)
        continue
    os.chdir(folder)
    told = os.open("told.txt", os.O_WRONLY | os.O_CREAT)
    os.dup2(told, 1), os.dup2(told, 2)
    plugins = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "gotcha_sanitizer.pytest_plugin"]
    pytest.main([*plugins, "--rootdir=.", "--gotcha", "test_it.py"])
    sys.stdout.flush()
    os._exit(0)
"""
IN_TEST = """
import importlib, pytest, jax, jax.numpy as jnp

def fail(*args, **kwargs):
    raise ZeroDivisionError("planted")
holder = importlib.import_module("gotcha_sanitizer.{module}")
setattr(getattr(holder, "{outer}", holder), "{name}", fail)

@jax.jit
def step(x):
    return x * 2

@pytest.mark.gotcha(max_compiles=3, forbid=["recompile"])
def test_passes():
    assert float(step(jnp.zeros(1))[0]) == 0.0

def test_fails():
    assert float(step(jnp.zeros(1))[0]) == 1.0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_faults_in_the_hooks_of_pytest(tmp_path):
    """One test, so that one worker of xdist runs them all."""
    told = {fault: tmp_path / str(number) for number, fault in enumerate(IN_PYTEST)}
    for fault, folder in told.items():
        module, _, path = fault.partition(":")
        outer, _, name = path.rpartition(".")
        folder.mkdir()
        (folder / "test_it.py").write_text(IN_TEST.format(module=module, outer=outer, name=name))
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("GOTCHA_", "PYTEST_"))}
    env = plain | {"PYTHONPATH": SOURCES, "JAX_PLATFORMS": "cpu", "PYTEST_PLUGINS": ""}
    env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # ours is named; that of the environment is it too
    subprocess.run([sys.executable, "-c", DRIVER, *map(str, told.values())], env=env, check=True)
    for fault, folder in told.items():
        text = (folder / "told.txt").read_text()
        assert "1 failed, 1 passed" in text and "INTERNALERROR" not in text, (fault, text)
        assert re.search(r"degraded: .*ZeroDivisionError: planted", text), (fault, text)
