"""Calls that leave JAX's fast path: under a transformation outside of jit, and in a trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from gotcha_sanitizer.checks.slow_path_call import SlowPathCall
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.values.events import Program, SlowCall
from gotcha_sanitizer.values.parts import Function, Signature, Site
from tests.sanitizer.support import run

STEP = Function("step", ("step",), 1, "function", "user")
PROGRAM = """\
import time

import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    return w - x * w


def train(w, x):
    end = time.monotonic() + 3
    while time.monotonic() < end:
        w = step(w, x)
    return w


step(jnp.ones(()), jnp.ones(()))
{line}
"""


def _program() -> Program:
    return Program(0.0, 1, STEP, (), (), Signature(), (), (), {"compile": 1.0}, True, None)


@pytest.mark.parametrize(
    ("transformed", "advice"),
    [(False, "take `jax.debug.print`"), (True, "put `jax.jit` around the outermost")],
)
def test_the_advice_is_that_of_the_cause(transformed: bool, advice: str):
    check = SlowPathCall(Options())
    assert not list(check.on(_program()))
    slow = SlowCall(1.0, "step", Site("train.py", 7), (), transformed)
    found = [finding for _ in range(12) for finding in check.on(slow)]
    assert found[-1].advice.startswith(advice)
    assert ("vmap" in found[-1].message) == transformed


@pytest.mark.monitoring
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("jax.vmap(train)(jnp.ones(4), jnp.ones(4))", {"slow-path-call"}),
        ("jax.jit(train).trace(jnp.ones(4), jnp.ones(4))", set()),
    ],
    ids=["vmap", "a trace"],
)
def test_what_evaluates_the_calls(line: str, found: set[str], tmp_path: Path):
    """A jitted function that is called while another is traced becomes a part of it, once."""
    path = tmp_path / "train.py"
    path.write_text(PROGRAM.format(line=line), "utf-8")
    result = run(path, tmp_path / "run.jsonl")
    assert {f.name for f in result.problems} == found, result.err
