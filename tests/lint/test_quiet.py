"""Right code, much of it from false alarms on real projects, on which every rule is silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.support import lint_files

FILES = sorted((Path(__file__).parent / "quiet").glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_nothing_is_found(tmp_path: Path, file: Path) -> None:
    found = lint_files(tmp_path, {file.name: file.read_text("utf-8")})
    assert [(f.line, f.name, f.message) for f in found] == []


SIMULATOR = """
import jax

def simulator(compute):
    mapped = jax.vmap(compute)

    @jax.jit
    def run(parameters):
        return mapped(parameters)

    return run
"""
GIVEN = """
import jax.numpy as jnp
import numpy as np
from simulator import simulator

def one(parameters):
    image = jnp.ones(3) * parameters.mean()
    return image / np.linalg.norm(image)

simulator(one)(jnp.ones(3))

class Tree:
    at = {}

tree, ones = Tree(), jnp.ones(3)
tree.at[0].set(1.0)
ones.at[0].set(1.0)
"""
DRAWS = """
import jax

key = jax.random.key(0)
x = jax.random.normal(key, (8, 8))
weight = jax.random.normal(key, (8, 8))
"""


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("tests/test_one.py", {"discarded-update"}),
        ("one.py", {"host-cast-of-tracer", "discarded-update"}),
    ],
)
def test_what_a_test_gives_to_code_that_traces(tmp_path: Path, path: str, names: set[str]) -> None:
    found = lint_files(tmp_path, {"simulator.py": SIMULATOR, path: GIVEN})
    assert {f.name for f in found} == names


@pytest.mark.parametrize(("path", "count"), [("bench/sweep.py", 0), ("sweep.py", 1)])
def test_data_of_a_benchmark(tmp_path: Path, path: str, count: int) -> None:
    assert len(lint_files(tmp_path, {path: DRAWS})) == count
