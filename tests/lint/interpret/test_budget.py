"""What a call costs: one that needs too much is like a call of something unknown."""

from __future__ import annotations

import pytest

from gotcha_lint.interpret import imports
from gotcha_lint.solve import roots
from tests.lint.support import lint_files

AFTER = """
import time

import jax


def heavy(x):
{body}
    return x


@jax.jit
def step(x):
    return x * 2.0


def main():
    x = heavy(1.0)
    start = time.perf_counter()
    y = step(x)
    seconds = time.perf_counter() - start
    return y, seconds
"""
COST = 400  # statements: more than a root may cost here


@pytest.fixture(autouse=True)
def _small_budgets(monkeypatch):
    monkeypatch.setattr(roots, "ROOT_BUDGET", 1000)
    monkeypatch.setattr(roots, "_LEAST", 1000)
    monkeypatch.setattr(imports, "MODULE_BUDGET", 1000)


@pytest.mark.parametrize("called", ["", "\n\nmain()\n"])
def test_what_comes_after_a_heavy_call_is_seen(tmp_path, called):
    text = AFTER.format(body="    x = x + 1.0\n" * COST) + called
    (found,) = lint_files(tmp_path, {"train.py": text}, select=("timing-without-wait",))
    assert text.splitlines()[found.line - 1].strip().startswith("seconds")


def test_a_heavy_function_may_wait_for_what_it_is_given(tmp_path):
    body = "    x = x + 1.0\n" * COST + "    jax.block_until_ready(x)\n"
    text = AFTER.format(body=body).replace("    y = step(x)\n", "    y = step(x)\n    heavy(y)\n")
    assert lint_files(tmp_path, {"train.py": text}, select=("timing-without-wait",)) == []
