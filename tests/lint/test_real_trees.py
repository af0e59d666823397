"""What must hold whatever the rules are, over libraries as they are installed."""

from __future__ import annotations

import random
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from gotcha_lint import engine
from gotcha_lint.analysis.sites import Trace
from gotcha_lint.analysis.values import FunctionId
from gotcha_lint.config import Settings
from gotcha_lint.finding import Finding

SETTINGS = Settings(preview=True)
TREES = ("optax", "flax/linen", "flax/training")
ALONE = 20  # files: for each, all that it may depend on is read again
Traced = dict[FunctionId, tuple[Trace, int]]


def installed(tree: str) -> Path:
    """Found without being imported."""
    package, _, below = tree.partition("/")
    spec = find_spec(package)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / below


def learned(paths: list[str], *, screen: bool = True) -> tuple[list[Finding], Traced]:
    """The findings, which are few in good code, and what is traced there and why."""
    report = engine.lint(paths, lambda path: SETTINGS, screen=screen, keep=True)
    assert report.failures == []
    assert report.state is not None
    bodies = report.state.pool.local().bodies().values()
    return report.findings, {
        body.id: (body.trace, len(body.sites))
        for body in bodies
        if body.trace is not None and body.id[0] in paths
    }


@pytest.mark.slow
def test_the_screen_and_the_other_files_change_nothing(tmp_path):
    for tree in TREES:
        shutil.copytree(
            installed(tree), tmp_path / tree, ignore=shutil.ignore_patterns("__pycache__")
        )
    (tmp_path / "pyproject.toml").touch()  # else a folder above could be the project
    paths = sorted(map(str, tmp_path.rglob("*.py")))
    findings, traced = learned(paths)
    assert len(traced) > 100
    assert learned(paths, screen=False) == (findings, traced)
    for path in random.Random(0).sample(paths, ALONE):
        own = {id: found for id, found in traced.items() if id[0] == path}
        assert learned([path]) == ([f for f in findings if f.path == path], own), path
