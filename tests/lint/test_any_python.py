"""Any Python file survives: the model, the rules, and a fix that changes nothing."""

from __future__ import annotations

import sysconfig
from functools import cache
from pathlib import Path

import libcst as cst
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gotcha_lint import engine
from gotcha_lint.config.settings import Settings
from gotcha_lint.text import source
from gotcha_lint.text.file_tree import FileTree
from gotcha_lint.text.nodes import walk
from gotcha_lint.text.unreadable import Unreadable

SETTINGS = Settings()


@cache
def files() -> list[Path]:
    """Not at import: each worker imports this, and one runs it."""
    paths = sysconfig.get_paths()
    return sorted(
        path
        for root in {paths["stdlib"], paths["purelib"]}
        for path in Path(root).rglob("*.py")
        if path.stat().st_size < 60_000
    )


def survives(path: Path) -> None:
    """No failure, all places inside the text, and the text comes back from its own tree."""
    raw = path.read_bytes()
    name = "copy_of_a_file.py"
    report = engine.lint([name], lambda _: SETTINGS, screen=False, overlay={name: raw})
    assert report.failures == []
    try:
        decoded = source.decode(name, raw)
    except Unreadable:
        assert len(report.findings) == 1
        return
    assert decoded.encode(decoded.text) == raw
    assert "too-deeply-nested" not in {found.name for found in report.findings}  # a loop of ours
    try:
        file = FileTree.of(decoded)
    except Unreadable:
        assert [f.name for f in report.findings] == ["syntax-error"]
        return
    for node in walk(file.tree):
        if isinstance(node, cst.FunctionDef | cst.Lambda):
            start, end = file.positions.span(node)
            assert decoded.text[start:end].startswith(("def", "async", "lambda", "@"))
    for finding in report.findings:
        assert 1 <= finding.line <= finding.end_line <= len(decoded.line_starts)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.deferred(lambda: st.sampled_from(files())))
def test_any_file_survives(path):
    survives(path)


def test_a_blank_that_libcst_forgets(tmp_path: Path) -> None:
    """Places and fixes after it are where they are in the text."""
    text = (
        "import jax.numpy as jnp\ntry:\n    pass\nexcept (OSError, ValueError) :\n    pass\n"
        "x = jnp.zeros(3)\nx.at[0].set(1)\n"
    )
    (tmp_path / "a.py").write_text(text)
    report = engine.lint([str(tmp_path / "a.py")], lambda _: SETTINGS)
    (found,) = report.findings
    assert (found.line, found.column) == (7, 1)
    assert found.fix is not None
    (edit,) = found.fix.edits
    assert text[edit.start :].startswith("x.at[0]")


@pytest.mark.slow
@pytest.mark.parametrize("share", range(8))
def test_every_file_of_jax_survives(share):
    for path in files()[share::8]:
        if b"jax" in path.read_bytes():
            survives(path)


@pytest.mark.slow
@pytest.mark.parametrize("share", range(8))
def test_every_sixth_file_survives(share):
    for path in files()[share::48]:
        survives(path)
