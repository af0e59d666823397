"""What is found does not depend on which branch is written first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.support import found, lint_files

BRANCHES = """\
import jax
import jax.numpy as jnp


def scale(x, sizes):
    return x * len(sizes)


def main(fast: bool):
    if {test}:
        step = jax.jit(scale{first})
    else:
        step = jax.jit(scale{second})
    return step(jnp.ones(3), [1, 2])
"""
STATIC = ", static_argnums=1"


@pytest.mark.parametrize(
    "other", ["", ", static_argnums=1, donate_argnums=0", ", static_argnums=(0, 1)"]
)
@pytest.mark.parametrize("test", ["fast", "not fast"])
def test_the_order_of_branches_does_not_matter(tmp_path: Path, test: str, other: str) -> None:
    rule = "unhashable-static-argument"
    for first, second in ((STATIC, other), (other, STATIC)):
        text = BRANCHES.format(test=test, first=first, second=second)
        findings = lint_files(tmp_path, {"step.py": text}, (rule,), all=True)
        assert found(findings) == [(14, rule)]
