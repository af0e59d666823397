"""Runs over small projects: what must hold whatever the rules are."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gotcha_lint import engine, registry
from gotcha_lint.config.settings import Settings
from gotcha_lint.finding import Finding
from gotcha_lint.home import page_url
from gotcha_lint.workers import pipeline
from tests.counting import calls
from tests.lint.support import code, found, lint_files

SETTINGS = Settings()

PROJECT = {
    "pkg/__init__.py": "from pkg.losses import loss\n",
    "pkg/losses.py": """
        import jax.numpy as jnp
        from pkg.helpers import positive


        def loss(params, batch):
            return positive(jnp.sum(params * batch))
    """,
    "pkg/helpers.py": """
        def positive(value):
            if value > 0:
                return value
            return -value
    """,
    "pkg/wrap.py": """
        import functools
        import jax


        def named_jit(function, name):
            return functools.wraps(function)(jax.jit(function))
    """,
    "train.py": """
        import jax
        from pkg import loss
        from pkg.wrap import named_jit


        def step(params, batch):
            grads = jax.grad(loss)(params, batch)
            if grads.sum() > 3:
                return params
            return params - grads


        fast_step = named_jit(step, "step")
    """,
    "unrelated.py": """
        def f(x):
            if x > 0:
                return x
    """,
}


def write(folder: Path, files: dict[str, str]) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").touch()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(code(text), "utf-8")
    return sorted(str(folder / name) for name in files)


def lint(paths: list[str], **options: object) -> list[Finding]:
    report = engine.lint(paths, lambda path: SETTINGS, **options)  # type: ignore[arg-type]
    assert report.failures == []
    return report.findings


def test_traced_through_files_and_a_wrapper(tmp_path):
    """A helper two calls and two files below a project's own jit wrapper."""
    findings = lint(write(tmp_path, PROJECT))
    places = {(Path(f.path).name, f.line) for f in findings if f.name == "traced-if"}
    assert places == {("helpers.py", 2), ("train.py", 8)}
    chain = next(f for f in findings if f.path.endswith("helpers.py")).chain
    assert [Path(place.path).name for place in chain] == ["wrap.py", "train.py", "losses.py"]


STALE = """
    import jax

    rate, SETTINGS = 0.1, {"scale": 1.0}


    def set_rate(value):
        global rate
        print("now", rate)
        rate = value  # rate


    def warm(steps):
        other = {}
        for step in range(steps):
            other["scale"] = step
            SETTINGS["scale"] *= 0.5  # 'scale'


    @jax.jit
    def scaled(x):
        return x * rate


    @jax.jit
    def sized(x):
        return x * SETTINGS["scale"]


    def main(x):
        x = sized(x)
        warm(3)
        return sized(x)
"""


def test_a_stale_global_names_the_line_that_assigns_it(tmp_path):
    lines = code(STALE).splitlines()
    findings = lint_files(tmp_path / "project", {"train.py": code(STALE)}, ("stale-global",))
    assigned = {
        f.message.split("`")[1]: lines[place.line - 1]
        for f in findings
        for place in f.chain
        if "assigned" in place.message
    }
    assert assigned.keys() == {"rate", "'scale'"}
    assert all(line.endswith(f"  # {name}") for name, line in assigned.items())


def test_a_file_alone_has_the_findings_it_has_with_its_tree(tmp_path):
    paths = write(tmp_path, PROJECT)
    together = lint(paths)
    for path in paths:
        assert lint([path]) == [f for f in together if f.path == path]


def test_the_screen_loses_nothing(tmp_path):
    paths = write(tmp_path, PROJECT)
    assert lint(paths) == lint(paths, screen=False)


def test_the_order_of_files_does_not_matter(tmp_path):
    paths = write(tmp_path, PROJECT)
    shuffled = random.Random(0).sample(paths, len(paths))
    assert lint(shuffled) == lint(paths)


def test_workers_give_the_same_findings(tmp_path, monkeypatch):
    monkeypatch.setattr(pipeline, "PARALLEL_FROM", 0)
    paths = write(tmp_path, PROJECT)
    assert lint(paths, jobs=2) == lint(paths, jobs=1)


def test_a_worker_that_dies_costs_one_file(tmp_path, monkeypatch):
    monkeypatch.setattr(pipeline, "PARALLEL_FROM", 0)
    import os

    from gotcha_lint.text import source

    decode = source.decode

    def deadly(path: str, raw: bytes, **more: bool):
        if b"poison" in raw:
            os.abort()
        return decode(path, raw, **more)

    monkeypatch.setattr(source, "decode", deadly)
    paths = write(tmp_path, {**PROJECT, "bad.py": "import jax\npoison = 1\n"})
    findings = lint(paths, jobs=2)
    lost = [f for f in findings if f.name == "too-deeply-nested"]
    assert [Path(f.path).name for f in lost] == ["bad.py"]
    assert {Path(f.path).name for f in findings} == {"bad.py", "helpers.py", "train.py"}


FAILS = """
import sys
from gotcha_lint.cli import run_and_leave
from gotcha_lint.findings import forecast
from gotcha_lint.workers import pipeline

def broken(*arguments):
    raise RuntimeError("broken")

pipeline.PARALLEL_FROM, forecast.foresee = 0, broken
sys.argv[1:] = ["--jobs", "2", "--no-cache", "."]
run_and_leave()
"""


def test_a_run_that_fails_leaves_no_worker(tmp_path):
    """One that is left holds the output open: a pipe that reads it would wait for ever."""
    write(tmp_path, PROJECT)
    command = [sys.executable, "-c", FAILS]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 3
    assert "internal error: RuntimeError: broken" in done.stderr


def test_a_rule_that_raises_costs_only_its_own_findings(tmp_path, monkeypatch):
    from gotcha_lint.rules.tracing.traced_if import TracedIf

    def broken(self, programs):
        raise RuntimeError("broken rule")

    monkeypatch.setattr(TracedIf, "foresee", broken)
    text = code("""
        import jax


        @jax.jit
        def f(x):
            x[0] = 1
            if x > 0:
                return x
    """)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "a.py").write_text(text)
    report = engine.lint([str(tmp_path / "a.py")], lambda path: SETTINGS)
    assert [(f.rule, Path(f.path).name) for f in report.failures] == [("traced-if", "a.py")]
    assert "broken rule" in report.failures[0].error


def test_allow_comments(tmp_path):
    text = code("""
        import jax


        @jax.jit
        def f(x):
            if x > 0:  # gotcha: allow[traced-if] tested by hand
                return x
            # gotcha: allow[tracing] a family
            # and a second line of reasons
            while x < 0:
                x = x + 1
            assert x == 0  # gotcha: allow[key-reuse] the wrong name
            return x
    """)
    findings = lint_files(tmp_path, {"a.py": text}, ("all",))
    assert found(findings) == [(12, "traced-if"), (12, "unused-allow")]


def test_allow_file_and_comments_inside_strings(tmp_path):
    text = code('''
        """# gotcha: allow-file[traced-if] this is a string"""
        import jax
        # gotcha: allow-file[traced-if] the whole file


        @jax.jit
        def f(x):
            if x > 0:
                return x
    ''')
    assert lint_files(tmp_path, {"a.py": text}) == []
    assert found(lint_files(tmp_path, {"a.py": text.replace("\n# gotcha", "\n# gotchas")})) == [
        (8, "traced-if")
    ]


def test_unknown_comments_are_reported_with_a_suggestion(tmp_path):
    findings = lint_files(tmp_path, {"a.py": "import jax  # gotcha: alow[traced-if] x\n"})
    assert [f.name for f in findings] == ["unknown-comment"]
    assert "allow[name] reason" in findings[0].message


def test_comments_may_name_what_only_a_run_shows(tmp_path):
    """Its page says to allow it like this; the linter cannot tell whether that is needed."""
    text = "import jax  # gotcha: allow[recompile] x\n# gotcha: shows[zero-gradient] y\n"
    assert lint_files(tmp_path, {"a.py": text}) == []


def test_declarations_teach_the_analysis(tmp_path):
    text = code("""
        import jax


        # gotcha: traced
        def a(x):
            if x > 0:
                return x


        def b(x, n):  # gotcha: static(n)
            if n > 0:
                return x


        @jax.jit
        def c(x):
            d(x)


        def d(x):  # gotcha: host
            if x > 0:
                return x
    """)
    assert found(lint_files(tmp_path, {"a.py": text}, ("traced-if",))) == [(6, "traced-if")]


def test_user_facts(tmp_path):
    files = {
        "a.py": code("""
            from mylib import fast_jit


            @fast_jit
            def f(x):
                if x > 0:
                    return x
        """)
    }
    assert lint_files(tmp_path, files, ("traced-if",)) == []
    facts = {"mylib.fast_jit": {"like": "jax.jit"}}
    assert found(lint_files(tmp_path, files, ("traced-if",), facts=facts)) == [(6, "traced-if")]


def test_ids_survive_a_shift_of_lines(tmp_path):
    text = code(PROJECT["train.py"])
    files = {name: code(body) for name, body in PROJECT.items()}
    before = {f.id for f in lint_files(tmp_path / "a", files)}
    files["train.py"] = "# a comment\n\n" + text
    after = {f.id for f in lint_files(tmp_path / "b", files)}
    assert before == after
    assert len(before) == 2


def test_findings_do_not_depend_on_where_the_project_lies(tmp_path):
    first = lint(write(tmp_path / "one", PROJECT))
    shutil.copytree(tmp_path / "one", tmp_path / "two" / "deep")
    second = lint(sorted(str(p) for p in (tmp_path / "two" / "deep").rglob("*.py")))
    assert [(f.line, f.name, f.message) for f in first] == [
        (f.line, f.name, f.message) for f in second
    ]


@pytest.mark.parametrize("info", registry.rules().values(), ids=lambda info: info.name)
def test_every_rule_has_a_page_address_and_a_known_severity(info):
    assert info.url == page_url(info.name)
    assert info.severity in ("error", "warning", "info")
    assert info.confidence in ("high", "medium", "low")
    assert info.summary.endswith((".", "`")) or info.family == "engine"


def _cost_of_draws(count: int) -> int:
    lines = (
        f"x{i} = jax.random.normal(key, (3,))\ny{i} = x{i} + 1\nprint(y{i}.shape)"
        for i in range(count)
    )
    text = "\n".join(["import jax", "key = jax.random.key(0)", *lines])
    files = {"a.py": text.encode()}
    settings = Settings()
    return calls(lambda: engine.lint(["a.py"], lambda _: settings, overlay=files, jobs=1))[1]


def test_many_draws_are_read_once():
    """Twice the draws cost twice as much: what becomes of each is looked up."""
    _cost_of_draws(5)  # imports and caches
    few, more, most = (_cost_of_draws(count) for count in (40, 80, 160))
    assert most - more < 2.2 * (more - few)  # what does not depend on the number drops out


def test_a_tree_that_was_fetched_is_given_to_a_compiled_function(tmp_path):
    text = """
        from typing import NamedTuple
        import jax


        class State(NamedTuple):
            step: jax.Array
            rate: jax.Array


        @jax.jit
        def step(state):
            return state._replace(step=state.step + 1)


        def main(a, b):
            kept = jax.device_get(State(a, b))
            return step(kept)
    """
    assert lint_files(tmp_path / "project", {"train.py": code(text)}) == []
