"""What the user does not want to hear of stays unsaid, and all else does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sanitizer.support import Result, run

pytest.importorskip("jax")

STORM = """import sys
import jax, jax.numpy as jnp
W = jnp.ones((64, 64))
def train():
    for i in range(4):
        jax.jit(lambda x: x + i)(1.0){comment}
@jax.jit
def step(x):
    return x @ W
step(jnp.ones((64, 64)))
train()
"""
BOTH = {"recompile", "large-constant-captured"}


def go(tmp_path: Path, comment: str = "", options: str = "", text: str = STORM) -> Result:
    program = tmp_path / "train.py"
    program.write_text(text.replace("{comment}", comment), "utf-8")
    result = run(program, tmp_path / "run.jsonl", options=f"min_const_bytes=16K:{options}")
    assert result.code == 0, result.err
    return result


def names(result: Result) -> set[str]:
    """Of the findings, in the record; the report and the lines at once must agree with it."""
    found = {finding.name for finding in result.run.findings.values()}
    assert ("train.<lambda>` was compiled" in result.err) == ("recompile" in found)
    return found


def test_all_is_told_where_nothing_is_suppressed(tmp_path: Path):
    assert names(go(tmp_path)) == BOTH


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("  # gotcha: allow[recompile] four models", BOTH - {"recompile"}),
        ("  # gotcha: allow[large-constant-captured] another one", BOTH),
        ("  # gotcha: allow-file[recompile] four models", BOTH - {"recompile"}),
    ],
)
def test_a_comment_at_the_line(tmp_path: Path, comment: str, left: set[str]):
    assert names(go(tmp_path, comment)) == left


def test_a_comment_above_the_line(tmp_path: Path):
    text = STORM.replace(
        "        jax.jit", "        # gotcha: allow[recompile] four models\n        jax.jit"
    )
    assert names(go(tmp_path, text=text)) == BOTH - {"recompile"}


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        ("recompile:*train.py:four models\n", BOTH - {"recompile"}),
        ("# a comment\n\nrecompile : train.* \n", BOTH - {"recompile"}),
        ("*:step\n", BOTH - {"large-constant-captured"}),
        ("*:*\n", set()),
        ("recompile:*other.py\n", BOTH),
    ],
)
def test_a_line_of_the_file(tmp_path: Path, lines: str, left: set[str]):
    (tmp_path / "gotcha.supp").write_text(lines, "utf-8")
    assert names(go(tmp_path, options=f"suppressions={tmp_path / 'gotcha.supp'}")) == left


def test_mistakes_of_the_file_are_told(tmp_path: Path):
    file = tmp_path / "gotcha.supp"
    file.write_text("recompile\n", "utf-8")
    result = go(tmp_path, options=f"suppressions={file}")
    assert names(result) == BOTH and f"{file}:1: write `name:glob" in result.err
    result = go(tmp_path, options="suppressions=missing.supp")
    assert names(result) == BOTH and "nothing is suppressed" in result.err


@pytest.mark.parametrize(
    ("size", "told"),
    [("16K", "warning"), ("16385", "info"), ("160K", "info"), ("161K", ""), ("1M", "")],
)
def test_the_least_size_of_a_constant(tmp_path: Path, size: str, told: str):
    result = go(tmp_path, options=f"min_const_bytes={size}")
    found = [f for f in result.run.findings.values() if f.name == "large-constant-captured"]
    assert [f.severity for f in found] == [told] * bool(told)


def test_copies_of_a_small_constant_add_up(tmp_path: Path):
    text = STORM.replace("step(jnp.ones((64, 64)))", "[step(jnp.ones((n, 64))) for n in (1, 2, 3)]")
    result = go(tmp_path, options="min_const_bytes=48K", text=text)
    (found,) = [f for f in result.run.findings.values() if f.name == "large-constant-captured"]
    assert (found.severity, found.count) == ("warning", 3)
    assert "in 3 programs (48 KiB)" in found.message
