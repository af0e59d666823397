"""Stale captures in programs that do not wait for us: short loops, functions that are freed."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

from gotcha_sanitizer.values.finding import Finding
from tests.sanitizer.support import run

HEAD = """
import jax, jax.numpy as jnp
x = jnp.ones(3)
"""
SEES_CALLS = hasattr(sys, "monitoring")

SHORT = """
def main():
    target = jnp.ones(3)
    @jax.jit
    def step(params):
        return params - 0.1 * (params - target)
    params = x
    for i in range(40):
        params = step(params)
        if i == 20:
            target = params
main()
"""
LATE = SHORT.replace("40", "3000").replace("i == 20", "i == 2000")
EACH_STEP = SHORT.replace("if i == 20:", "if i:")
ELSEWHERE = """
target = jnp.ones(3)
@jax.jit
def step(params):
    return params - 0.1 * (params - target)
def warm_up():
    for i in range(200):
        step(x)
def train():
    global target
    target = x * 2
    for i in range(3):
        step(x)
warm_up()
train()
"""
ATTRIBUTE = """
class Trainer:
    def __init__(self):
        self.target = jnp.ones(3)
        self.step = jax.jit(self._step)
    def _step(self, params):
        return params - 0.1 * (params - self.target)
    def sync(self, params):
        self.target = params
def main():
    trainer, params = Trainer(), x
    for i in range(500):
        params = trainer.step(params)
        if i % 100 == 99:
            trainer.sync(params)
main()
"""
AFTER = """
def main():
    scale = jnp.ones(3)
    @jax.jit
    def step(params):
        return params * scale
    for i in range(500):
        step(x)
    scale = x * 2
    return scale
main()
"""


def stale(tmp_path: Path, body: str) -> list[Finding]:
    program = tmp_path / "prog.py"
    program.write_text(HEAD + textwrap.dedent(body))
    result = run(program, tmp_path / "run.jsonl")
    assert result.code == 0, result.err
    assert "calls" not in result.run.degraded, result.run.degraded
    return [f for f in result.run.findings.values() if f.name == "stale-capture"]


@pytest.mark.parametrize("body", [SHORT, LATE, EACH_STEP, ELSEWHERE, ATTRIBUTE])
def test_what_is_replaced_between_calls_is_found_whenever_that_is(tmp_path: Path, body: str):
    (found,) = stale(tmp_path, body)
    assert found.severity == ("error" if SEES_CALLS else "warning")
    assert "target` was" in found.message


def test_a_variable_that_is_replaced_after_the_last_call_is_a_note(tmp_path: Path):
    (found,) = stale(tmp_path, AFTER)
    assert found.severity == ("info" if SEES_CALLS else "warning")


def test_a_closure_that_names_itself_is_still_freed(tmp_path: Path):
    body = """
    import gc, weakref
    class Big:
        pass
    def main():
        held, scale = Big(), jnp.ones(3)
        @jax.jit
        def step(params):
            return params * scale + (0 if held else len(step.__name__))
        step(x)
        return weakref.ref(held)
    gone = main()
    jax.clear_caches()
    gc.collect()
    assert gone() is None
    """
    assert stale(tmp_path, body) == []
