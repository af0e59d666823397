"""Findings of earlier runs: the same as without, found without an analysis, forgotten in time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gotcha_lint import engine
from gotcha_lint.config.settings import Settings
from gotcha_lint.finding import Confidence, Edit, Finding, Fix, Place, Severity, as_dict, from_dict
from gotcha_lint.memo.cache import Cache
from gotcha_lint.task import Failure

FILES = {
    "pyproject.toml": "",
    "train.py": "import jax\nfrom losses import loss\n\nstep = jax.jit(loss)\n",
    "losses.py": "def loss(x):\n    if x > 0:\n        return x\n    return -x\n",
    "other.py": "import jax\n\nx = jax.numpy.ones(3)\nx.at[0].set(2)\n",
    "broken.py": "import jax\nx = = 1\n",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with three components, as the working directory."""
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "cache")


@pytest.fixture
def analysed(monkeypatch):
    """The files that each run analysed."""
    runs: list[set[str]] = []

    def run(space, *args):
        runs.append(set(space.raw))
        return original(space, *args)

    original = engine._run
    monkeypatch.setattr(engine, "_run", run)
    return runs


def lint(cache: Cache | None, *files: str, **settings) -> list[Finding]:
    names = files or tuple(name for name in FILES if name.endswith(".py"))
    return engine.lint(names, lambda path: Settings(**settings), cache=cache).findings


def names(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.path, finding.name) for finding in findings]


def test_the_second_run_finds_the_same_and_analyses_nothing(project, cache, analysed):
    first = lint(cache)
    assert lint(cache) == first == lint(None)
    assert names(first) == [
        ("broken.py", "syntax-error"),
        ("losses.py", "traced-if"),
        ("other.py", "discarded-update"),
    ]
    assert first[1].chain and first[2].fix  # these come back too
    assert [len(run) for run in analysed] == [4, 4]


def test_a_file_alone_is_known_from_its_tree(project, cache, analysed):
    lint(cache)
    assert names(lint(cache, "losses.py")) == [("losses.py", "traced-if")]
    assert len(analysed) == 1


def test_a_file_that_was_only_read_for_another_is_analysed_when_asked_for(project, cache, analysed):
    assert lint(cache, "train.py") == []
    assert names(lint(cache, "losses.py")) == [("losses.py", "traced-if")]
    assert lint(cache, "train.py") == []
    assert analysed == [{"train.py", "losses.py"}] * 2


def test_only_what_imports_join_with_a_change_is_analysed_again(project, cache, analysed):
    lint(cache)
    (project / "train.py").write_text("import jax\nfrom losses import loss\n")
    assert ("losses.py", "traced-if") not in names(lint(cache))
    assert analysed[1] == {"train.py", "losses.py"}
    (project / "train.py").write_text(FILES["train.py"])
    assert ("losses.py", "traced-if") in names(lint(cache))
    assert len(analysed) == 2


@pytest.mark.parametrize(
    "changed",
    [
        {"ignore": ("discarded-update",)},
        {"select": ("traced-if",)},
        {"all": True},
        {"target_jax": "0.12"},
        {"target_flax": "0.10"},
        {"facts": {"lib.jit": {"like": "jax.jit"}}},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_other_settings_are_another_question(project, cache, analysed, changed):
    lint(cache)
    assert lint(cache, **changed) == lint(None, **changed)
    lint(cache)
    lint(cache, **changed)
    assert len(analysed) == 3  # without the cache once


def test_another_version_of_the_linter_knows_nothing(project, cache, analysed, monkeypatch):
    lint(cache)
    monkeypatch.setattr("gotcha_lint.memo.cache._program", lambda: "newer")
    lint(cache)
    assert len(analysed) == 2


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff", b'{"x": 1}'])
def test_a_damaged_entry_is_made_anew(project, cache, analysed, damage):
    first = lint(cache)
    for path in cache.folder.glob("??/*.json"):
        path.write_bytes(damage)
    assert lint(cache) == first
    assert lint(cache) == first
    assert len(analysed) == 2


def test_findings_of_another_shape_are_made_anew(project, cache, analysed):
    first = lint(cache)
    for path in cache.folder.glob("??/*.json"):
        path.write_text(path.read_text().replace('"severity"', '"gravity"'))
    assert lint(cache) == first
    assert len(analysed) == 2


def test_a_folder_that_cannot_be_written_is_no_loss(project, tmp_path):
    (tmp_path / "cache").write_text("a file")
    assert lint(Cache(tmp_path / "cache")) == lint(None)


def test_what_failed_is_not_kept(project, cache, analysed, monkeypatch):
    tried = engine._run

    def fails(*args):
        found, _ = tried(*args)
        return found, [Failure("losses.py", "traced-if", "KeyError: 1")]

    monkeypatch.setattr(engine, "_run", fails)
    lint(cache)
    lint(cache)
    assert [run & {"losses.py", "other.py"} for run in analysed] == [
        {"losses.py", "other.py"},
        {"losses.py"},
    ]


def test_what_nobody_asks_for_is_swept_once_a_day(project, cache):
    lint(cache)
    old = set(cache.folder.glob("??/*.json"))
    for path in (*old, cache.folder / "swept"):
        os.utime(path, (0, time.time() - 40 * 86400))
    lint(cache, "other.py")  # in use
    (project / "other.py").write_text("import jax\n")
    lint(cache, "other.py")
    assert len(old & set(cache.folder.glob("??/*.json"))) == 1


def test_the_program_keeps_and_asks(project, tmp_path):
    """A second run needs no LibCST; `--no-cache` leaves no trace."""
    env = os.environ | {"GOTCHA_CACHE_DIR": str(tmp_path / "kept")}
    code = "import sys; from gotcha_lint.cli import main; main(sys.argv[1:])\n"
    code += "print('libcst' in sys.modules, file=sys.stderr)"

    def run(*args: str) -> tuple[str, str]:
        command = [sys.executable, "-c", code, "-q", ".", *args]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        return done.stdout, done.stderr.split()[-1]

    plain = run("--no-cache")
    assert not (tmp_path / "kept").exists()
    assert [run(), run()] == [plain, (plain[0], "False")]
    assert Path("other.py").read_text() == FILES["other.py"]


places = st.builds(Place, st.text(), *[st.integers()] * 4, st.text(), st.none() | st.integers(1, 9))
edits = st.builds(Edit, st.integers(), st.integers(), st.text())
fixes = st.builds(Fix, st.text(), st.lists(edits).map(tuple), st.booleans())


@given(
    st.builds(
        Finding,
        *[st.text()] * 3,
        *[st.integers()] * 4,
        severity=st.sampled_from(Severity.__args__),
        confidence=st.sampled_from(Confidence.__args__),
        chain=st.lists(places).map(tuple),
        fix=st.none() | fixes,
        url=st.text(),
        id=st.text(),
        cell=st.none() | st.integers(),
    )
)
def test_a_finding_survives_json(finding):
    assert from_dict(as_dict(finding)) == finding
