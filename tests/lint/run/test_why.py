"""`--why`: where sizes come from, what compiles, and how little of a project is read for it."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from gotcha_lint.config.settings import SettingsFinder
from gotcha_lint.tools import Tools
from gotcha_lint.views import why as why_view
from gotcha_lint.views.why import Looked
from tests.lint.support import code

STEP = code(
    """
    import jax
    import jax.numpy as jnp


    @jax.jit
    def score(tokens):
        return jnp.sum(tokens)
    """
)
TRAIN = code(
    """
    import jax.numpy as jnp
    import numpy as np
    from torch.utils.data import DataLoader

    from step import score


    def longest_of_a_pair(texts):
        for pair in zip(texts[::2], texts[1::2]):
            longest = max(len(text) for text in pair)
            score(np.zeros((2, longest)))


    def batches(dataset):
        for batch in DataLoader(dataset, batch_size=8):
            images = jnp.asarray(batch["image"])
            score(images)


    def slices():
        for i in range(1, 8):
            part = jnp.ones(8)[:i]
            score(part)


    def branches(small):
        n = 64 if small else 128
        fixed = jnp.ones((n, 3))
        score(fixed)


    def rounded(texts):
        for text in texts:
            longest = max(len(word) for word in text)
            rows = np.zeros((2, -(-longest // 64) * 64))
            score(rows)


    def same():
        x = jnp.ones((8, 3))
        score(x)
    """
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("why")
    (folder / "pyproject.toml").touch()
    (folder / "step.py").write_text(STEP)
    (folder / "train.py").write_text(TRAIN)
    return folder


@pytest.fixture
def why(project: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], str]:
    monkeypatch.chdir(project)

    def ask(path: str, text: str) -> str:
        """What `--why` says of the first line of a file with this text."""
        lines = Path(path).read_text().splitlines()
        line = next(number for number, each in enumerate(lines, 1) if text in each)
        said, failures = Tools().why(path, line, SettingsFinder(), screen=True, overlay={})
        assert not failures
        return said

    return ask


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "score(np.zeros",
            "`score` compiles: one program per iteration of the loop at line 9\n"
            "  because: `tokens` has another size along axis 1 in each iteration of the loop "
            "at line 9",
        ),
        (
            "images =",
            """
              axis 0 of `images` is shorter in the last batch
                because: train.py:15 this loader keeps the last, smaller batch
            """,
        ),
        (
            "part =",
            """
              axis 0 of `part` has another size at each iteration of the loop at line 21
                because: train.py:22 the size comes from here
                because: train.py:21 the size comes from here
            """,
        ),
        (
            "fixed =",
            """
              axis 0 of `fixed` has one of 2 sizes: 64 or 128
                because: train.py:28 the size comes from here
                because: train.py:27 the size comes from here
            """,
        ),
        ("rows =", "axis 1 of `rows` is rounded up: it has few sizes"),
    ],
)
def test_where_a_size_comes_from(why: Callable[[str, str], str], line: str, said: str) -> None:
    assert textwrap.dedent(said).strip() in textwrap.dedent(
        why("train.py", line).partition("\n")[2]
    )


def test_what_callers_in_another_file_give(why: Callable[[str, str], str]) -> None:
    """The loop of the comprehension that finds the longest is over where the array is used."""
    said = why("step.py", "return")
    assert (
        "  axis 1 of `tokens` has another size at each iteration of the loop at train.py:9\n"
        "    because: train.py:11 the size comes from here\n"
        "    because: train.py:10 the size comes from here\n"
        "    because: train.py:9 in the iterations of this loop\n"
    ) in said
    assert "axis 0 of `tokens` is shorter in the last batch" in said


def test_a_size_that_never_changes_has_no_line(why: Callable[[str, str], str]) -> None:
    said = why("train.py", "x = jnp.ones")
    assert "x  float32[8, 3]" in said
    assert "axis" not in said.partition("`score` compiles")[0]


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A chain of imports, files beside it, and many that import its middle."""
    texts = {
        "base.py": "import jax\n\n\ndef f(x):\n    return x\n",
        "middle.py": "import jax\nimport base\n\n\ndef g(x):\n    return base.f(x)\n",
        "main.py": "import jax\nimport middle\n\nstep = jax.jit(middle.g)\n",
        "beside.py": "import jax\nimport base\n\nother = jax.grad(base.f)\n",
        "far.py": "import jax\nimport beside\n",
        "test_it.py": "import jax\nimport middle\n\njax.vmap(middle.g)\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_only_the_file_its_imports_and_its_importers_are_read(
    large: Path,
) -> None:
    found = Looked("middle.py", SettingsFinder())
    assert found.why(5).startswith("g: traced (jit, vmap)")
    assert sorted(found.sources) == ["base.py", "main.py", "middle.py", "test_it.py"]


def test_of_many_importers_the_nearest_are_read_and_tests_last(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(why_view, "_IMPORTERS", 1)
    said, _ = Tools().why("middle.py", 5, SettingsFinder(), screen=True, overlay={})
    assert said.startswith("g: traced (jit)\n")
    assert said.endswith(
        "  `g` compiles once, or more often, as callers decide\n"
        "  not looked at: 1 more file that imports middle.py"
    )


def test_places_in_a_notebook_name_the_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cells = [STEP, "for i in range(1, 8):\n    score(jnp.ones(8)[:i])\n"]
    whole = {
        "cells": [
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    Path("a.ipynb").write_text(json.dumps(whole))
    said, _ = Tools().why("a.ipynb", 7, SettingsFinder(), screen=True, overlay={})
    assert "  because: a.ipynb:cell 1:5 jit of score\n" in said
    assert "another size at each iteration of the loop\n" in said
    assert "    because: a.ipynb:cell 2:" in said
