"""Which files are tests, and that every rule has one answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from gotcha_lint.facts.paths import is_benchmark, is_test
from tests.lint.support import lint_files

TESTS = (
    "tests/helpers.py",
    "pkg/tests/unit/helpers.py",
    "pkg\\tests\\helpers.py",
    "test/helpers.py",
    "test_model.py",
    "pkg/model_test.py",
    "conftest.py",
)
NO_TESTS = (
    "train_test_split.py",
    "pkg/test_time_augmentation/model.py",
    "latest_model.py",
    "contest.py",
    "test.py",
    "tests/one/two/three/model.py",
    "testing/model.py",
    "test_notes.ipynb",
)


@pytest.mark.parametrize("path", TESTS)
def test_a_test(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize("path", NO_TESTS)
def test_no_test(path: str) -> None:
    assert not is_test(path)


@pytest.mark.parametrize("path", ["bench/run.py", "bench_step.py", "a/step_benchmark.py"])
def test_a_benchmark(path: str) -> None:
    assert is_benchmark(path)
    assert not is_test(path)


FAULTS = """\
import jax
import jax.numpy as jnp

key = jax.random.key(0)
x = jax.random.normal(key, (8,))
y = jax.random.normal(key, (8,))


@jax.jit
def clip(x):
    if x > 0:
        return x
    return -x


def train(batches):
    for batch in batches:
        step = jax.jit(lambda x: x * 2)
        step(batch)
"""


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("model.py", {"key-reuse", "traced-if", "jit-in-loop"}),
        ("train_test_split.py", {"key-reuse", "traced-if", "jit-in-loop"}),
        ("test_split.py", set()),
        ("tests/split.py", set()),
    ],
)
def test_rules_agree_on_what_a_test_is(tmp_path: Path, path: str, names: set[str]) -> None:
    assert {f.name for f in lint_files(tmp_path, {path: FAULTS})} == names
