"""A run that knows what an earlier one learnt finds what a run without that finds."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gotcha_lint import engine
from gotcha_lint.config.settings import Settings
from gotcha_lint.engine import Kept
from gotcha_lint.finding import Finding
from gotcha_lint.memo.cache import Cache
from gotcha_lint.solve.units import Running
from gotcha_lint.task import Task
from gotcha_lint.workers import pipeline

Files = dict[str, str]

PROJECT: Files = {
    "train.py": """
        import jax
        import losses
        from steps import compiled

        @compiled
        def step(params, batch):
            return losses.loss(params, batch)

        for batch in range(3):
            step(1.0, batch)
        """,
    "losses.py": """
        def loss(params, batch):
            if params > 0:
                return params
            return batch
        """,
    "steps.py": """
        import jax

        def compiled(fn):
            return jax.jit(fn)
        """,
}

# What a file may consist of. Each speaks of the others: they are traced, called, derived from,
# given keys and arrays, and give them back.
PARTS = (
    "def shared(x):\n    if x > 0:\n        return x\n    return -x\n",
    "def shared(x, n=3):\n    return x * n\n",
    "def other(fn):\n    return jax.jit(fn)\n",
    "def other(fn):\n    return fn\n",
    "@jax.jit\ndef traced(x):\n    return {0}.shared(x)\n",
    "made = {0}.other({1}.shared)\n",
    "key = jax.random.key(0)\n",
    "a = jax.random.normal({0}.key)\nb = jax.random.normal({0}.key)\n",
    "class Base:\n    rate = 1\n    def run(self, x):\n        return float(x)\n",
    "class Sub({0}.Base):\n    def run(self, x):\n        return int(x)\n",
    "@jax.jit\ndef runs(x):\n    return {0}.Base().run(x)\n",
    "for i in range(100):\n    jax.jit(lambda x: x + i)({1}.shared(i))\n",
    "class State:\n    def __init__(self):\n        self.x = {0}.shared(jnp.ones(3))\n"
    "    def go(self):\n        self.x = {1}.shared(self.x)\n        return float(self.x)\n",
    "State().go()\n",
    "@other\ndef decorated(x):\n    return {1}.State().go() if x else {0}.decorated(x)\n",
    "def shared(x):\n    return {1}.shared(x)\n",
    "# gotcha: allow-file[key-reuse] a test\n",
)
NAMES = ("one", "two", "three")


def write(folder: Path, files: Files) -> None:
    for path in folder.glob("*.py"):
        path.unlink()
    for name, text in files.items():
        (folder / name).write_text(dedent(text).lstrip())


def lint(kept: Kept | None = None, *names: str, jobs: int = 1, **more) -> list[Finding]:
    files = names or tuple(sorted(os.listdir()))
    files = tuple(name for name in files if name.endswith(".py"))
    own = Settings()
    return engine.lint(files, lambda path: own, kept=kept, jobs=jobs, **more).findings


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("")
    write(folder, PROJECT)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def worked_on(monkeypatch: pytest.MonkeyPatch) -> Callable[[], tuple[set[str], set[str]]]:
    """The files whose units were run, and those that were checked, since it was last asked."""
    ran: set[str] = set()
    checked: set[str] = set()
    run, check = Running.units, pipeline.check_file

    def noted_run(self: Running, paths: Sequence[str]) -> Any:
        ran.update(paths)
        return run(self, paths)

    def noted_check(task: Task, *more: Any) -> Any:
        checked.add(task.path)
        return check(task, *more)

    def since() -> tuple[set[str], set[str]]:
        found = set(ran), set(checked)
        ran.clear()
        checked.clear()
        return found

    monkeypatch.setattr(Running, "units", noted_run)
    monkeypatch.setattr(pipeline, "check_file", noted_check)
    return since


def test_nothing_is_done_again_where_nothing_has_changed(project, worked_on):
    kept = Kept()
    first = lint(kept)
    assert [f.name for f in first] == ["traced-if"]
    assert worked_on() == (set(PROJECT) - {"losses.py"}, set(PROJECT))
    assert lint(kept) == first
    assert worked_on() == (set(), set())


@pytest.mark.parametrize(
    ("name", "old", "new", "ran", "checked"),
    [
        # A unit follows from its file and from what that imports; a file, from its own text ...
        ("train.py", "range(3)", "range(4)", {"train.py"}, {"train.py"}),
        ("steps.py", "import jax\n", "import jax\nRATE = 1\n", {"steps.py", "train.py"},
         {"steps.py", "losses.py"}),
        # ... and from what is foreseen in it: the chain leads to another line now.
        ("losses.py", "return batch", "return [batch]", {"train.py"}, {"losses.py"}),
        ("steps.py", "jax.jit(fn)", "fn", {"steps.py", "train.py"}, {"steps.py", "losses.py"}),
    ],
)  # fmt: skip
def test_what_a_change_concerns_is_done_again(project, worked_on, name, old, new, ran, checked):
    kept = Kept()
    lint(kept)
    path = project / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    worked_on()
    found = lint(kept)
    assert worked_on() == (ran, checked)
    assert found == lint()


@pytest.mark.parametrize(
    ("library", "before", "after", "found"),
    [
        # What a function is given, which it reads of its callers.
        (
            """
            import pickle

            def save(x, file):
                pickle.dump(x, file)
            """,
            "import jax.numpy as jnp, numpy as np, library\nlibrary.save(jnp.ones(3), None)\n",
            "import jax.numpy as jnp, numpy as np, library\nlibrary.save(np.ones(3), None)\n",
            "device-array-pickled",
        ),
        # Who calls it, and how often, which rules ask at the end.
        (
            """
            import jax

            def setup(x):
                return jax.jit(lambda y: y + 1)(x)
            """,
            "import library\nfor i in range(1000):\n    library.setup(1)\n",
            "import library\nfor i in range(1000):\n    pass\nlibrary.setup(1)\n",
            "jit-in-loop",
        ),
    ],
)
def test_what_a_file_says_of_others_follows_them(project, library, before, after, found):
    for first, second in ((before, after), (after, before)):
        kept = Kept()
        write(project, {"library.py": library, "user.py": first})
        assert (found in [f.name for f in lint(kept)]) is (first is before)
        write(project, {"library.py": library, "user.py": second})
        assert lint(kept) == lint()
        assert (found in [f.name for f in lint()]) is (second is before)


SERIES: dict[str, list[Files]] = {
    # A decorator that is a name alone, in a file that is not read again.
    "a bare decorator": [
        {
            "a.py": "def loss(p, q):\n    if p > 0:\n        return p\n    return q\n",
            "b.py": "import jax\nfrom a import loss\n\n@jax.jit\ndef f(x):\n"
            "    return loss(x, 1)\n",
        },
        {"a.py": "# c\ndef loss(p, q):\n    if p > 0:\n        return p\n    return q\n"},
    ],
    # The lines of a chain move, and then nothing changes.
    "a chain that moved": [
        {
            "a.py": "def loss(p, q):\n    if p > 0:\n        return p\n    return q\n",
            "b.py": "import jax\nfrom a import loss\nf = jax.jit(loss)\n",
        },
        {"b.py": "# one\nimport jax\nfrom a import loss\nf = jax.jit(loss)\n"},
        {},
        {"c.py": "import b\n"},
    ],
    # Equal, and yet another type.
    "False and 0": [
        {
            "a.py": "OPT = (False,)\n",
            "b.py": "import jax, a\n\n@jax.jit\ndef f(x):\n    return h(x)\n\n"
            "@jax.jit\ndef g(x):\n    return h(x, training=a.OPT[0])\n\n"
            "def h(x, training=False):\n    if training:\n        return float(x)\n    return x\n",
        },
        {"a.py": "OPT = (0,)\n"},
    ],
    "a file that came back": [
        {"a.py": "import b\n", "b.py": "import jax\ndef plain(x, n=3):\n    return x\n"},
        {
            "a.py": "x = 1\n",
            "b.py": "",
            "c.py": "import jax, d\nfrom b import plain\n"
            "g = jax.jit(plain, static_argnames=('nn',))\n",
            "d.py": "import jax\n",
        },
        {"a.py": "import b\n", "b.py": "import jax\ndef plain(x, n=3):\n    return x\n"},
    ],
}


@pytest.mark.parametrize("name", SERIES)
def test_series_of_changes(project, name):
    kept = Kept()
    files: Files = {}
    for change in SERIES[name]:
        files = {path: text for path, text in (files | change).items() if text}
        write(project, files)
        assert lint(kept) == lint()


def test_files_that_no_import_joins_and_one_of_them_alone(project):
    """`import pkg` is no word of `pkg.sub`, and yet `pkg.sub.loss` is found."""
    write(project, {"a.py": ""})
    (project / "pkg").mkdir()
    (project / "pkg/__init__.py").write_text("")
    sub = project / "pkg/sub.py"
    user = "import jax, pkg\n\n@jax.jit\ndef f(x):\n    return pkg.sub.loss(x, 1)\n"
    (project / "a.py").write_text(user)
    kept = Kept()
    for text in ("return p", "return float(p)", "return q"):
        sub.write_text(f"import jax\ndef loss(p, q):\n    {text}\n")
        for names in (("a.py", "pkg/sub.py"), ("a.py",), ("pkg/sub.py",)):
            assert lint(kept, *names) == lint(None, *names)


def test_a_chain_leads_to_where_its_places_are_now(project):
    kept = Kept()
    before = lint(kept)[0].chain
    path = project / "steps.py"
    path.write_text("# one line more\n" + path.read_text())
    (now,) = lint(kept)
    assert [place.line for place in now.chain if place.path == "steps.py"] == [
        place.line + 1 for place in before if place.path == "steps.py"
    ]
    assert [now] == lint()


def test_files_that_come_and_go(project):
    kept = Kept()
    lint(kept)
    (project / "losses.py").unlink()
    assert lint(kept) == lint()
    (project / "losses.py").write_text("def loss(params, batch):\n    return float(batch)\n")
    assert [f.name for f in lint(kept)] == ["host-cast-of-tracer"]
    (project / "losses.py").write_text("def loss(params, batch:\n")
    assert lint(kept) == lint()


def test_one_file_with_what_is_kept_of_all(project):
    kept = Kept()
    lint(kept)
    (project / "losses.py").write_text("def loss(params, batch):\n    return float(batch)\n")
    assert lint(kept, "losses.py") == lint(None, "losses.py") != []
    assert lint(kept) == lint()


def test_several_workers_leave_the_same(project, monkeypatch):
    monkeypatch.setattr("gotcha_lint.workers.pipeline.PARALLEL_FROM", 0)
    kept = Kept()
    assert lint(kept, jobs=2) == lint()
    write(project, PROJECT | {"losses.py": "def loss(params, batch):\n    return int(params)\n"})
    monkeypatch.undo()
    os.chdir(project)
    assert lint(kept) == lint() != []


@st.composite
def texts(draw: st.DrawFn) -> str:
    parts = draw(st.lists(st.sampled_from(PARTS), max_size=5))
    others = [draw(st.permutations(NAMES)) for _ in parts]
    imports = "import jax\nimport jax.numpy as jnp\nimport one, two, three\nfrom two import other\n"
    return imports + "".join(part.format(*who) for part, who in zip(parts, others, strict=True))


programs = st.fixed_dictionaries({}, optional={f"{name}.py": texts() for name in NAMES})


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(programs, min_size=2, max_size=4))
def test_any_change_gives_what_a_new_run_gives(project, series):
    kept = Kept()
    for files in series:
        write(project, files)
        assert lint(kept) == lint()


class TestOnDisk:
    @pytest.fixture
    def cache(self, tmp_path) -> Cache:
        return Cache(tmp_path / "cache")

    def kept(self, cache: Cache) -> list[Path]:
        return list(cache.folder.glob("??/*.files"))

    def test_the_next_program_knows_them(self, project, cache, worked_on):
        lint(cache=cache)
        worked_on()
        (project / "train.py").write_text(dedent(PROJECT["train.py"]).lstrip() + "x = 1\n")
        assert lint(cache=cache) == lint()
        assert len(self.kept(cache)) == 1

    def test_they_are_used(self, project, cache, worked_on):
        lint(cache=cache)
        worked_on()
        (project / "train.py").write_text(dedent(PROJECT["train.py"]).lstrip() + "x = 1\n")
        lint(cache=cache)
        assert worked_on() == ({"train.py"}, {"train.py"})

    @pytest.mark.parametrize("data", [b"", b"nonsense", json.dumps({"train.py": 1}).encode(), None])
    def test_a_damaged_file_is_made_again(self, project, cache, data):
        lint(cache=cache)
        (path,) = self.kept(cache)
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2] if data is None else data)
        (project / "losses.py").write_text("def loss(params, batch):\n    return float(batch)\n")
        assert lint(cache=cache) == lint() != []
        assert json.loads(path.read_bytes()).keys() == PROJECT.keys()
