"""Units of the engine: what they follow from, when they are run again, and how they are kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gotcha_lint import engine
from gotcha_lint.config.settings import Settings
from gotcha_lint.finding import Finding
from gotcha_lint.findings.forecast import KeptUnits, Live, foresee
from gotcha_lint.memo.cache import Cache
from gotcha_lint.program.import_graph import ImportGraph
from gotcha_lint.solve.units import Running, Unit
from tests.lint.support import code

ROOT = Path(__file__).parents[2]

STEPS = """
    import jax
    import jax.numpy as jnp


    @jax.jit
    def add(total, x):
        return total + jnp.sum(x)
    """
TRAIN = """
    import numpy as np
    from steps import add


    def main():
        total = 0.0
        for _ in range(20):
            total = add(total, np.ones(3, np.float32))
        return total
    """
OTHER = """
    import numpy as np
    from steps import add


    def evaluate(count):
        for n in range(1, count):
            add(np.float32(0), np.ones(n, np.float32))
    """
PROJECT = {
    "pyproject.toml": "",
    "steps.py": STEPS,
    "train.py": TRAIN,
    "other.py": OTHER,
    "run.py": "import train\n\ntrain.main()\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project, as the working directory."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    write(PROJECT)
    return folder


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).write_text(code(text) if text else "")


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the units that are run."""
    paths: list[str] = []
    original = Running._unit  # pyright: ignore[reportPrivateUsage]

    def unit(self: Running, path: str) -> Unit:
        paths.append(path)
        return original(self, path)

    monkeypatch.setattr(Running, "_unit", unit)
    return paths


def lint(
    *files: str,
    cache: Cache | None = None,
    kept: KeptUnits | None = None,
    live: Live | None = None,
    **settings: object,
) -> list[Finding]:
    own = Settings(root=os.getcwd(), all=True, **settings)  # type: ignore[arg-type]
    files = files or tuple(sorted(name for name in os.listdir() if name.endswith(".py")))
    given = engine.Kept({} if kept is None else kept, live=live)
    given = None if kept is None and live is None else given
    report = engine.lint(files, lambda path: own, cache=cache, kept=given)
    assert report.failures == []
    return report.findings


def named(findings: list[Finding]) -> set[tuple[str, str]]:
    return {(finding.path, finding.name) for finding in findings}


class TestGraph:
    def test_files_come_after_what_they_import(self) -> None:
        graph = ImportGraph({"a": ["b"], "b": ["d"], "c": ["d"], "d": []})
        assert graph.order == ["d", "b", "a", "c"]
        assert graph.closures["a"] == {"a", "b", "d"}
        assert graph.scripts == {"a", "c"}
        assert graph.importers(["b"]) == {"a", "b"}

    def test_a_circle_is_one(self) -> None:
        graph = ImportGraph({"a": ["c"], "b": ["a"], "c": ["b", "d"], "d": [], "e": ["a"]})
        assert graph.circles == [("d",), ("a", "b", "c"), ("e",)]
        assert graph.closures["a"] == graph.closures["b"] == {"a", "b", "c", "d"}

    def test_a_digest_is_of_the_closure(self) -> None:
        graph = ImportGraph({"a": ["b"], "b": [], "c": []})
        before = graph.digests({"a": b"1", "b": b"2", "c": b"3"})
        after = graph.digests({"a": b"1", "b": b"4", "c": b"3"})
        assert {path for path in before if before[path] != after[path]} == {"a", "b"}

    def test_a_long_chain_of_imports(self) -> None:
        links = {f"m{n:05}": [f"m{n + 1:05}"] for n in range(3000)} | {"m03000": []}
        assert ImportGraph(links).order[0] == "m03000"


class TestRuns:
    def test_nothing_changed_runs_nothing(
        self, project: Path, tmp_path: Path, ran: list[str]
    ) -> None:
        cache = Cache(tmp_path / "cache")
        first = lint(cache=cache)
        assert sorted(ran) == ["other.py", "run.py", "steps.py", "train.py"]
        ran.clear()
        assert lint(cache=cache) == first
        assert ran == []

    def test_a_change_runs_what_imports_it(
        self, project: Path, tmp_path: Path, ran: list[str]
    ) -> None:
        cache = Cache(tmp_path / "cache")
        lint(cache=cache)
        ran.clear()
        write({"train.py": TRAIN.replace("total = 0.0", "total = np.float32(0)")})
        warm = lint(cache=cache)
        assert sorted(ran) == ["run.py", "train.py"]
        assert warm == lint()
        assert ("train.py", "weak-type-argument") not in named(warm)
        assert ("other.py", "varying-shape") in named(warm)

    def test_a_change_below_runs_all(self, project: Path, tmp_path: Path, ran: list[str]) -> None:
        cache = Cache(tmp_path / "cache")
        lint(cache=cache)
        ran.clear()
        write({"steps.py": STEPS.replace("@jax.jit", "")})
        assert lint(cache=cache) == lint()
        assert {"other.py", "run.py", "steps.py", "train.py"} == set(ran)

    def test_a_file_alone_uses_what_is_kept_of_all(
        self, project: Path, tmp_path: Path, ran: list[str]
    ) -> None:
        cache = Cache(tmp_path / "cache")
        whole = lint(cache=cache)
        ran.clear()
        write({"run.py": "import train\n\nprint(train.main())\n"})
        assert lint("steps.py", "train.py", cache=cache) == [
            finding for finding in whole if finding.path in ("steps.py", "train.py")
        ]
        assert ran == ["run.py"]

    def test_other_rules_ask_the_same_units(
        self, project: Path, tmp_path: Path, ran: list[str]
    ) -> None:
        cache = Cache(tmp_path / "cache")
        lint(cache=cache)
        ran.clear()
        assert named(lint(cache=cache, select=("varying-shape",))) == {
            ("other.py", "varying-shape")
        }
        assert ran == []

    def test_another_version_of_jax_is_another_question(
        self, project: Path, tmp_path: Path, ran: list[str]
    ) -> None:
        cache = Cache(tmp_path / "cache")
        lint(cache=cache)
        ran.clear()
        lint(cache=cache, target_jax="0.9")
        assert ran

    def test_a_module_that_comes_is_seen(self, project: Path, ran: list[str]) -> None:
        kept: KeptUnits = {}
        write({"other.py": OTHER.replace("steps", "later")})
        assert ("other.py", "varying-shape") not in named(lint(kept=kept))
        write({"later.py": STEPS})
        assert ("other.py", "varying-shape") in named(lint(kept=kept))
        assert lint(kept=kept) == lint()

    def test_an_engine_is_used_again(self, project: Path) -> None:
        kept: KeptUnits = {}
        live = Live()
        for text in (TRAIN, TRAIN.replace("0.0", "np.float32(0)"), "x = (", TRAIN):
            write({"train.py": text})
            assert lint(kept=kept, live=live) == lint()
        for text in (STEPS.replace("@jax.jit", ""), STEPS):
            write({"steps.py": text})
            assert lint(kept=kept, live=live) == lint()

    def test_notebooks_are_units(self, project: Path, tmp_path: Path, ran: list[str]) -> None:
        cell = '{"cell_type": "code", "source": ["import jax\\n", "import steps\\n"]}'
        Path("book.ipynb").write_text(f'{{"cells": [{cell}], "nbformat": 4, "metadata": {{}}}}')
        cache = Cache(tmp_path / "cache")
        first = lint("book.ipynb", "steps.py", cache=cache)
        assert "book.ipynb" in ran
        ran.clear()
        write({"train.py": TRAIN.replace("20", "30")})
        assert lint("book.ipynb", "steps.py", cache=cache) == first
        assert sorted(ran) == ["run.py", "train.py"]


REGISTRY = {
    "pyproject.toml": "",
    "registry.py": "import jax\n\nsteps = {}\n",
    "first.py": """
        import jax
        import registry


        @jax.jit
        def add(total, x):
            return total + x


        registry.steps["add"] = add
        """,
    "second.py": """
        import registry

        registry.steps["add"] = print
        """,
    "uses_first.py": """
        import numpy as np
        import first
        import registry


        def main():
            total = 0.0
            for _ in range(9):
                total = registry.steps["add"](total, np.ones((), np.float32))
            return total
        """,
    "uses_second.py": """
        import second
        import uses_first

        uses_first.main()
        """,
}


def test_a_module_that_registers_concerns_those_that_import_it(project: Path) -> None:
    for path in project.glob("*.py"):
        path.unlink()
    write(REGISTRY)
    whole = lint()
    assert ("uses_first.py", "weak-type-argument") in named(whole)
    alone = [f for name in REGISTRY if name.endswith(".py") for f in lint(name)]
    assert sorted(alone, key=lambda finding: finding.order) == whole
    write({"zz_third.py": "import jax\nimport registry\n\nregistry.steps.clear()\n"})
    assert [finding for finding in lint() if finding.path != "zz_third.py"] == whole


def test_a_script_changes_nothing_for_others(project: Path) -> None:
    train = TRAIN.replace("total = 0.0", "total = settings.start").replace(
        "from steps", "import settings\n    from steps"
    )
    write({"settings.py": "start = 0.0\n", "train.py": train})
    before = [finding for finding in lint() if finding.path == "train.py"]
    assert "weak-type-argument" in {finding.name for finding in before}
    write({"a_script.py": "import jax\nimport settings\n\nsettings.start = jax.numpy.ones(())\n"})
    assert [finding for finding in lint() if finding.path == "train.py"] == before


class TestStore:
    @pytest.mark.parametrize(
        "data", [b"", b"{", b"[]", b'{"train.py": 1}', b'{"train.py": ["", {"": [{}]}]}']
    )
    def test_a_damaged_file_is_made_anew(
        self, project: Path, tmp_path: Path, ran: list[str], data: bytes
    ) -> None:
        cache = Cache(tmp_path / "cache")
        lint(cache=cache)
        (file,) = (tmp_path / "cache").glob("*/*.units")
        file.write_bytes(data)
        write({"run.py": "import train\n"})
        ran.clear()
        assert lint(cache=cache) == lint()
        assert "train.py" in ran
        ran.clear()
        write({"run.py": "import train\n\nprint(train)\n"})
        lint(cache=cache)
        assert ran == ["run.py"]

    def test_what_failed_is_not_kept(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(self: Running, path: str) -> Unit:
            raise ValueError("oops")

        kept: KeptUnits = {}
        with monkeypatch.context() as patch:
            patch.setattr(Running, "_unit", broken)
            own = Settings(root=os.getcwd())
            report = engine.lint(["train.py"], lambda path: own, kept=engine.Kept(kept))
        assert {failure.rule for failure in report.failures} == {"interpreter"}
        assert kept == {}
        assert lint(kept=kept) == lint()


def test_a_unit_shows_the_same_whatever_was_run_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the trainer: a test that imports much leaves closures, summaries and loops behind."""
    monkeypatch.chdir(ROOT)
    unit, other = (
        "reference_trainer/model/backbone.py",
        "tests/reference_trainer/test_properties.py",
    )
    files = [*(str(p) for p in Path("reference_trainer").rglob("*.py")), other]
    own = Settings(root=os.getcwd(), all=True)
    space = engine.workspace(files, lambda path: own, {}, True)
    tasks = [t for t in engine._tasks(files, {f: own for f in files}) if t.path in space.raw]
    found: list[object] = []
    for share in ((unit,), (unit, other)):
        kept: KeptUnits = {}
        foresee(space, tasks, kept, share=frozenset(share))
        found.append(kept[unit].found)
    assert found[0] and found[0] == found[1]
