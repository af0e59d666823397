"""The pytest plugin, run by an inner pytest in a process of its own."""

from __future__ import annotations

import os
from importlib.metadata import entry_points

import pytest

from tests.sanitizer.support import SOURCES

pytest.importorskip("jax")

pytest_plugins = ["pytester"]

STEP = """
import os
import pytest, jax, jax.numpy as jnp

@jax.jit
def step(x):
    return x * 2
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONPATH", SOURCES)
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    for name in ("GOTCHA_SANITIZE", "GOTCHA_OPTIONS"):
        monkeypatch.delenv(name, raising=False)
    installed = any(each.name == "gotcha" for each in entry_points(group="pytest11"))
    load = [] if installed else ["-p", "gotcha_sanitizer.pytest_plugin"]

    def go(program: str, *arguments: str) -> pytest.RunResult:
        pytester.makepyfile(test_it=STEP + program)
        return pytester.runpytest_subprocess(*load, "-p", "no:cacheprovider", *arguments)

    return go


def test_is_inactive_unless_asked_for(run):
    result = run(
        """
def test_a():
    import sys
    loaded = {name for name in sys.modules if name.startswith("gotcha_")}
    assert loaded <= {"gotcha_sanitizer", "gotcha_sanitizer.pytest_plugin"}
"""
    )
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*= gotcha =*")


def test_max_compiles_fails_with_the_cause(run):
    result = run(
        """
@pytest.mark.gotcha(max_compiles=1)
def test_shapes():
    for n in (1, 2):
        step(jnp.zeros(n))

@pytest.mark.gotcha(max_compiles=1)
def test_one_shape():
    for _ in range(3):
        step(jnp.zeros(7))

@pytest.fixture
def warm():
    step(jnp.zeros(21))

@pytest.mark.gotcha(max_compiles=0)
def test_fixtures_are_not_counted(warm):
    step(jnp.zeros(21))
"""
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "gotcha: `step` was compiled 2 times in this test, max_compiles is 1",
            "*`step` at test_it.py:*shape: x: float32[[]1] -> float32[[]2]",
            "*fix: pad to a few fixed sizes*",
        ]
    )


def test_a_failure_of_the_body_stays_as_it_is(run):
    result = run(
        """
@pytest.mark.gotcha(max_compiles=0)
def test_fails():
    step(jnp.zeros(1))
    assert 1 == 2, "the body's own"
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the body's own*"])
    result.stdout.no_fnmatch_line("*max_compiles is*")


def test_forbidden_findings_fail_and_the_earlier_test_is_not_blamed_for(run):
    result = run(
        """
@pytest.mark.gotcha(forbid=["recompile/new-function"])
def test_storm():
    for i in range(4):
        jax.jit(lambda x: x + i)(jnp.zeros(3))

@pytest.mark.gotcha(forbid=["recompile/new-function"])
def test_clean():
    jax.jit(lambda x: x - 1)(jnp.zeros(3))

@pytest.mark.gotcha(forbid=["stale-capture"])
def test_other_findings_are_let_through():
    for i in range(4):
        jax.jit(lambda x: x + i)(jnp.zeros(3))
"""
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        ["*_ test_storm _*", "*recompile at test_it.py:*captures another `i`*"]
    )


def test_a_misspelt_mark_is_an_error(run):
    result = run("@pytest.mark.gotcha(max_compile=1)\ndef test_a(): pass\n")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*takes max_compiles=, forbid= and contract=, not max_compile*"])


def test_summary_counts_and_left_state(run, monkeypatch):
    monkeypatch.delenv("XLA_FLAGS")
    result = run(
        """
def test_x64():
    jax.config.update("jax_enable_x64", True)

def test_env():
    os.environ["XLA_FLAGS"] = "--xla_dump_to=/nowhere"

def test_clean(monkeypatch):
    monkeypatch.setenv("JAX_LOG_COMPILES", "0")
    step(jnp.zeros(3))

@pytest.fixture(scope="module")
def wide():
    jax.config.update("jax_numpy_rank_promotion", "warn")
    yield
    jax.config.update("jax_numpy_rank_promotion", "allow")

def test_with_wide(wide):
    pass

def test_mesh():
    jax.set_mesh(jax.make_mesh((1,), ("data",)))
""",
        "--gotcha",
    )
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(
        [
            "*= gotcha =*",
            "1 compile of jitted functions and 2 of operations*in 1 of 5 tests",
            "*test_it.py::test_clean",
            "left changed by *test_x64: jax_enable_x64: False -> True*",
            "left changed by *test_env: os.environ XLA_FLAGS: not set -> --xla_dump_to=/nowhere",
            "left changed by *test_mesh: *mesh*: * -> *'data': 1*",
        ]
    )
    result.stdout.no_fnmatch_line("left changed by *test_clean*")
    result.stdout.no_fnmatch_line("left changed by *test_with_wide*")


SHARED = """
def test_first():
    step(jnp.zeros(3))
    step(jnp.zeros(4))

@pytest.mark.gotcha(max_compiles=1)
def test_second():
    step(jnp.zeros(3))
    step(jnp.zeros(4))
"""


def test_a_test_that_rests_on_another_is_told(run):
    result = run(SHARED, "--gotcha")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "*test_second depends on another test: `step`: 0 compiles here, *"
            "by test_it.py::test_first*"
        ]
    )


def test_fresh_caches_show_what_a_test_compiles_alone(run):
    result = run(SHARED, "--gotcha", "--gotcha-fresh")
    result.assert_outcomes(passed=1, failed=1)


def test_a_crash_is_explained(run):
    result = run(
        """
@jax.jit
def f(x):
    if x > 0:
        return x
    return -x

def test_crash():
    f(1.0)
""",
        "--gotcha",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*TracerBoolConversionError*", "*- gotcha -*", "traced-if at test_it.py:*", "*argument: x"]
    )


def test_workers_of_xdist_are_merged(run):
    pytest.importorskip("xdist")
    result = run(
        """
@pytest.mark.parametrize("n", range(4))
def test_each(n):
    step(jnp.zeros(n + 1))

def test_storm():
    for i in range(4):
        jax.jit(lambda x: x + i)(jnp.zeros(3))
""",
        "--gotcha",
        "-n2",
    )
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(
        [
            "8 compiles of jitted functions*in 5 of 5 tests",
            "recompile (new-function) at test_it.py:*",
        ]
    )
    assert result.stdout.str().count("= gotcha =") == 1
    assert "gotcha" not in result.stderr.str()


def test_a_worker_that_died_is_told(run):
    pytest.importorskip("xdist")
    result = run("def test_dies():\n    os._exit(1)\n", "--gotcha", "-n1", "--max-worker-restart=0")
    result.stdout.fnmatch_lines(["degraded: worker gw0 ended without a record*"])
    assert os.environ.get("GOTCHA_SANITIZE") is None


CONTRACT = """
@pytest.mark.gotcha(contract="kept/step.toml")
def test_step():
    step(jnp.ones(3)), step(jnp.ones(4))
"""
OTHERS = """
@pytest.mark.gotcha(contract="kept/step.toml")
def test_more():
    step(jnp.ones(3)), step(jnp.ones(5))

@pytest.mark.gotcha(contract="kept/none.toml")
def test_missing():
    step(jnp.ones(3))
"""


def test_a_contract_holds_whatever_was_compiled_before(run, pytester):
    run(CONTRACT, "--gotcha-write-contracts").assert_outcomes(passed=1)
    written = (pytester.path / "kept" / "step.toml").read_text("utf-8")
    assert "compiles = 2" in written and 'file = "test_it.py"' in written
    result = run("def test_earlier():\n    step(jnp.ones(3))\n" + CONTRACT + OTHERS)
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*step.toml is broken: 1 difference",
            "*`step` (test_it.py): new arguments: x: float32[[]5]*",
            "*no contract in none.toml*write it with `pytest --gotcha-write-contracts`*",
        ]
    )
