"""A learning rate that is asked for in each iteration: it is computed behind the training step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.support import found, lint_files

TEXT = """
import jax
import jax.numpy as jnp
import optax

rates = optax.warmup_cosine_decay_schedule(0.0, 1e-3, 10, 100)
flat = optax.constant_schedule(1e-3)


@jax.jit
def step(w, x):
    return w + x, (w * x).sum()


class Trainer:
    def __init__(self, schedule: optax.Schedule):
        self.schedule = schedule
        self.w = jnp.ones(3)

    def train(self, batches):
        for i, x in enumerate(batches):
            self.w, loss = step(self.w, x)
            print(f"{{self.schedule(i):.2e}}")


def train(w, batches):
    for i, x in enumerate(batches):
        w, loss = step(w, x)
        {}
    return w
"""
RULE = ("host-read-every-step",)


@pytest.mark.parametrize(
    ("body", "severity"),
    [
        ("print(float(rates(i)))", "warning"),
        ("if i % 100 == 0: print(float(rates(i)))", "info"),
        ("print(float(flat(i)))", ""),
        ("rate = rates(i)", ""),
        ("loss.block_until_ready(); print(float(rates(i)))", ""),
    ],
)
def test_the_rate_of_an_iteration(tmp_path: Path, body: str, severity: str):
    text = TEXT.format(body)
    line = text.splitlines().index(f"        {body}") + 1
    findings = lint_files(tmp_path, {"train.py": text}, RULE, all=True)
    behind = [f for f in findings if "computes after" in f.message and f.line == line]
    assert [f.severity for f in behind] == ([severity] if severity else [])


def test_a_schedule_that_somebody_gives(tmp_path: Path):
    text = TEXT.format("pass")
    line = next(i for i, x in enumerate(text.splitlines(), 1) if "self.schedule(i)" in x)
    assert found(lint_files(tmp_path, {"train.py": text}, RULE)) == [(line, RULE[0])]
