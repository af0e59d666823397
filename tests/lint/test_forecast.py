"""Forecasts: what rules foresee of the compiled programs becomes findings like all others."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gotcha_lint import engine
from gotcha_lint.config.settings import Settings, SettingsFinder
from gotcha_lint.engine import Report
from gotcha_lint.finding import Finding
from gotcha_lint.findings.checking import check_file
from gotcha_lint.findings.forecast import Component
from gotcha_lint.home import page_url
from gotcha_lint.memo.cache import Cache
from gotcha_lint.rules.retrace.weak_type_argument import WeakTypeArgument
from gotcha_lint.task import RuleOptions, Task
from gotcha_lint.text.file_tree import FileTree
from gotcha_lint.text.source import Source
from gotcha_lint.workers import pipeline
from tests.lint.support import code

# The loop is in another file than the step; a class, a closure and a helper lie between.
PROJECT = {
    "pyproject.toml": "",
    "steps.py": """
        import jax
        import jax.numpy as jnp


        def make_add():
            @jax.jit
            def add(total, x):
                return total + jnp.sum(x)

            return add
        """,
    "train.py": """
        import numpy as np
        from steps import make_add


        def main():
            add = make_add()
            total = 0.0
            for _ in range(20):
                total = add(total, np.ones(3, np.float32))
            return total


        def setup(x):
            import jax

            return jax.jit(lambda v: v * 2)(x)
        """,
    "other.py": "import jax\n\nx = jax.numpy.ones(3)\nx.at[0].set(2)\n",
    "pure.py": "def f(x):\n    return x\n",
}


# What a rule finds that does not ask the engine.
MESH = 'import jax\n\nmesh = jax.make_mesh((4,), ("data",))\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project, as the working directory."""
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in PROJECT.items():
        (folder / name).write_text(code(text) if text else "")
    monkeypatch.chdir(folder)
    return folder


def run(*files: str, cache: Cache | None = None, jobs: int = 1, **settings: object) -> Report:
    own = Settings(root=os.getcwd(), **settings)  # type: ignore[arg-type]
    files = files or tuple(sorted(name for name in os.listdir() if name.endswith(".py")))
    return engine.lint(files, lambda path: own, cache=cache, jobs=jobs)


def lint(*files: str, **options: object) -> list[Finding]:
    report = run(*files, **options)  # type: ignore[arg-type]
    assert report.failures == []
    return report.findings


def named(findings: list[Finding], name: str) -> list[Finding]:
    return [finding for finding in findings if finding.name == name]


def test_a_forecast_has_place_chain_severity_and_id(project: Path) -> None:
    (found,) = named(lint("train.py"), "weak-type-argument")
    assert (found.path, found.line, found.severity) == ("train.py", 9, "warning")
    assert "`total`" in found.message and "`add`" in found.message
    chain = {(place.path, place.line): place.message for place in found.chain}
    assert chain["steps.py", 6] == "compiled here"
    assert found.id and found.url == page_url("weak-type-argument")


def test_the_whole_tree_and_each_file_alone_agree(project: Path) -> None:
    whole = lint(all=True)
    alone = [f for name in PROJECT if name.endswith(".py") for f in lint(name, all=True)]
    assert sorted(alone, key=lambda f: f.order) == whole
    assert {"weak-type-argument", "jit-in-loop"} <= {f.name for f in whole}


def test_cold_warm_and_two_workers_agree(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cold = lint()
    cache = Cache(tmp_path / "cache")
    assert lint(cache=cache) == cold
    assert lint(cache=cache) == cold
    monkeypatch.setattr(pipeline, "PARALLEL_FROM", 0)
    assert lint(jobs=2) == cold


def test_warm_with_all_and_without_do_not_mix(project: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    few, many = lint(), lint(all=True)
    assert len(few) < len(many)
    for _ in range(2):
        assert lint(cache=cache) == few
        assert lint(cache=cache, all=True) == many


def test_a_change_elsewhere_is_seen(project: Path) -> None:
    """`train.py` stays; what it calls has no jit any more, then has it again."""
    own = Settings(root=str(project))
    kept = engine.Kept()

    def again() -> list[Finding]:
        report = engine.lint(["train.py"], lambda path: own, kept=kept)
        assert report.failures == []
        return named(report.findings, "weak-type-argument")

    first = again()
    steps = Path("steps.py").read_text()
    Path("steps.py").write_text(steps.replace("    @jax.jit\n", ""))
    assert first and again() == []
    Path("steps.py").write_text("\n\n" + steps)
    moved = again()
    assert [f.id for f in moved] == [f.id for f in first]
    lines = {place.message: place.line for place in moved[0].chain if place.path == "steps.py"}
    assert lines["compiled here"] == 8


def test_what_only_may_hold_is_told_on_request(project: Path) -> None:
    assert named(lint(), "jit-in-loop") == []
    (found,) = named(lint(all=True), "jit-in-loop")
    assert (found.line, found.severity, found.confidence) == (16, "info", "medium")


def test_a_certain_forecast_obeys_the_selection(project: Path) -> None:
    names = [finding.name for finding in lint()]
    assert "weak-type-argument" in names
    assert named(lint(ignore=("retrace",)), "weak-type-argument") == []
    assert named(lint(ignore=("weak-type-argument",)), "weak-type-argument") == []
    assert named(lint(select=("sync",)), "weak-type-argument") == []
    per_file = (("train.py", ("retrace",)),)
    assert named(lint(per_file_ignores=per_file), "weak-type-argument") == []
    assert named(lint(select=("weak-type-argument",)), "weak-type-argument")


def allow(line: int, comment: str) -> None:
    lines = Path("train.py").read_text().splitlines()
    lines[line - 1] += f"  # gotcha: allow[{comment}] known"
    Path("train.py").write_text("\n".join(lines) + "\n")


def test_a_comment_allows_a_forecast(project: Path) -> None:
    allow(9, "weak-type-argument")
    assert lint("train.py") == []


def test_a_comment_for_a_may_is_no_idle_one(project: Path) -> None:
    allow(16, "jit-in-loop")
    assert named(lint("train.py"), "unused-allow") == []
    assert named(lint("train.py", all=True), "jit-in-loop") == []


def test_a_comment_that_allows_nothing_is_told_of(project: Path) -> None:
    allow(8, "weak-type-argument")
    names = [f.name for f in lint("train.py")]
    assert sorted(names) == ["unused-allow", "weak-type-argument"]


def test_one_cause_is_told_of_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The analysis of the file and the programs both see this lambda."""
    monkeypatch.chdir(tmp_path)
    text = """
        import jax
        import jax.numpy as jnp

        x = jnp.ones(3)
        for _ in range(5):
            x = jax.jit(lambda v: v * 0.5)(x)
        """
    Path("a.py").write_text(code(text))
    assert [f.name for f in lint("a.py", all=True)] == ["jit-in-loop"]


def test_lines_of_notebooks_count_within_the_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cells = [
        "import jax\nimport jax.numpy as jnp\nimport numpy as np",
        "@jax.jit\ndef add(total, x):\n    return total + jnp.sum(x)",
        "total = 0.0\nfor _ in range(9):\n    total = add(total, np.ones(3, np.float32))",
    ]
    made = [{"cell_type": "code", "source": c, "outputs": [], "metadata": {}} for c in cells]
    whole = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    Path("a.ipynb").write_text(json.dumps(whole))
    (found,) = named(lint("a.ipynb"), "weak-type-argument")
    assert (found.cell, found.line, found.column) == (3, 3, 13)
    assert (2, 1, "compiled here") in [(p.cell, p.line, p.message) for p in found.chain]


def test_a_rule_that_raises_loses_its_own_findings_alone(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: object, programs: object) -> Iterator[object]:
        raise ValueError("oops")

    before = [f for f in lint() if f.name != "weak-type-argument"]
    monkeypatch.setattr(WeakTypeArgument, "foresee", broken)
    report = run()
    assert report.findings == before
    assert {(f.rule, f.error.partition(" (")[0]) for f in report.failures} == {
        ("weak-type-argument", "ValueError: oops")
    }


@pytest.mark.parametrize("what", ["add", "read"])
def test_events_of_one_root_that_cannot_be_read_hide_no_other_finding(
    project: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    from gotcha_lint.findings import forecast
    from gotcha_lint.solve.keys import KeyReuses

    def broken(*args: object) -> None:
        raise IndexError("oops")

    (project / "meshes.py").write_text(MESH)
    before = lint()
    assert named(before, "weak-type-argument")
    if what == "add":
        monkeypatch.setattr(KeyReuses, "add", broken)  # once per root
    else:
        monkeypatch.setattr(forecast, "unread", broken)  # once per unit
    report = run()
    assert {f.rule for f in report.failures} == {"interpreter"}
    assert {"mesh-axis-types"} <= {f.name for f in report.findings}


def test_an_engine_that_raises_loses_no_other_finding(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gotcha_lint.findings import forecast

    def broken(*args: object) -> Iterator[object]:
        raise ValueError("oops")

    (project / "broken.py").write_text("import jax\nx = (\n")
    monkeypatch.setattr(forecast.Running, "units", broken)
    report = run(select=("all",))
    assert "syntax-error" in {f.name for f in report.findings}
    assert {f.rule for f in report.failures} == {"interpreter"}


@pytest.mark.parametrize("count", [1, 2, 3, 9])
def test_shares_of_the_units_show_together_what_one_process_shows(
    project: Path, count: int
) -> None:
    from gotcha_lint.findings.forecast import foresee, joined, shares

    own = Settings(root=os.getcwd())
    files = sorted(name for name in os.listdir() if name.endswith(".py"))
    space = engine.workspace(files, lambda path: own, {}, True)
    tasks = [t for t in engine._tasks(files, {f: own for f in files}) if t.path in space.raw]
    alone, _ = foresee(space, tasks)
    parts = shares(space, count)
    assert sorted(path for part in parts for path in part) == sorted(space.raw)
    told = [foresee(space, tasks, share=part)[0] for part in parts]
    assert alone["train.py"] and joined(told) == alone


def test_without_a_rule_that_foresees_nothing_is_interpreted(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gotcha_lint.findings import forecast

    monkeypatch.setattr(forecast, "interpret", None)
    assert lint(select=("serialization",)) == []


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("import jax\n", True),
        ('TEXT = """\nimport jax\n"""\n', False),
        ('TEXT = """\nimport jax\n"""\n\ndef f():\n    import jax\n', True),
        ('x = \'# """\'\nimport jax\ny = \'"""\'\n', True),
        ("# '''\nimport jax\n# '''\n", True),
        ("f\"{\"'''\"}\"\nimport jax\nx = \"'''\"\n", True),
    ],
)
def test_an_import_in_a_text_is_none(
    text: str, runs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(text)
    (tmp_path / "pyproject.toml").touch()
    space = engine.workspace(["a.py"], SettingsFinder(), {}, True)
    files = Component(space, space.components[0])
    assert files.using(["a.py"]) == ["a.py"] * runs


def test_a_file_that_cannot_be_parsed_does_not_hide_others(project: Path) -> None:
    Path("broken.py").write_text("import steps\nx = = 1\n")
    report = run()
    assert report.failures == []
    assert named(report.findings, "weak-type-argument")
    assert len(named(report.findings, "syntax-error")) == 1


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("import gotcha_lint  # the linter: `gotcha`\n", 0),
        ("import jax  # gotcha: allow-file[key-reuse] a reason\n", 1),
    ],
)
def test_libcst_reads_a_file_for_its_comments_alone(
    text: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    of = FileTree.of

    def noted(source: Source) -> FileTree:
        read.append(source.path)
        return of(source)

    monkeypatch.setattr(FileTree, "of", noted)
    task = Task("a.py", frozenset({"key-reuse"}), RuleOptions())
    check_file(task, text.encode(), frozenset({"key-reuse"}))
    assert len(read) == times
