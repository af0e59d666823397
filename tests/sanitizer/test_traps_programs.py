"""Flags of JAX, libraries, caches and starts: what is seen is the same, or said to be lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gotcha_sanitizer.run.session import Session
from tests.sanitizer.inside import lost, problems
from tests.sanitizer.support import Result, found, marks, run

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

CAUSES = Path(__file__).parent / "scenarios" / "causes.py"
FLAGS = ("JAX_DEBUG_NANS", "JAX_CHECK_TRACER_LEAKS", "JAX_DISABLE_JIT")
SIZES = (3, 5, 7, 9)
SHAPE, STORM = "recompile/shape", "recompile/new-function"


@pytest.mark.slow
@pytest.mark.parametrize("flag", FLAGS)
def test_each_cause_under_a_flag_in_full(flag: str, tmp_path: Path):
    result = run(CAUSES, tmp_path / "run.jsonl", env={flag: "1"})
    assert result.code == 0, result.err
    if flag == "JAX_DISABLE_JIT":  # nothing is jitted: all that is left is what runs operations
        assert {what.partition("/")[0] for _, what, _ in found(result)} == {"eager-grad"}
    else:
        assert found(result) == marks(CAUSES), result.err


@pytest.mark.parametrize("flag", FLAGS)
def test_each_cause_under_a_flag(flag: str, running: Session):
    context = {
        "JAX_DEBUG_NANS": lambda: jax.debug_nans(True),
        "JAX_CHECK_TRACER_LEAKS": jax.checking_leaks,
        "JAX_DISABLE_JIT": jax.disable_jit,
    }[flag]
    step = jax.jit(lambda x: x * 2)
    with context():
        for n in SIZES:
            step(jnp.ones(n))
            jax.jit(lambda x: x + n)(1.0)  # noqa: B023
    assert set(problems(running)) == (set() if flag == FLAGS[2] else {SHAPE, STORM})
    assert not lost(running)


def test_a_library_is_named(running: Session):
    """`nnx.cond` gives `lax.cond` a new function at each call: flax's line, then the user's."""
    nnx = pytest.importorskip("flax.nnx")
    model, x = nnx.Linear(3, 3, rngs=nnx.Rngs(0)), jnp.ones((2, 3))
    jax.jit(lambda x: x)(x)

    def one(model: Any, x: Any) -> Any:
        return model(x)

    for n in range(4):
        nnx.cond(n > 2, one, one, model, x)
    message = problems(running)["eager-control-flow/"]
    (finding,) = running.run.problems
    assert "`cond` outside of jit by flax, with a new function" in message
    assert finding.site and finding.site.path == __file__
    (library, words), *_ = finding.chain
    assert library.path.endswith("transforms.py") and words == "flax runs it here"


def _go(tmp_path: Path, text: str, **env: str) -> Result:
    program = tmp_path / "train.py"
    program.write_text(text, "utf-8")
    result = run(program, tmp_path / "run.jsonl", env=env)
    assert result.code == 0, result.err
    return result


def test_the_backend_is_not_started(tmp_path: Path):
    """Asking for the number of this host would start it."""
    result = _go(
        tmp_path,
        "import atexit\n"
        "atexit.register(lambda: print(jax._src.xla_bridge._backends, asked))\n"
        "import jax\n"
        "asked = []\n"
        "jax.process_index = lambda: asked.append(1) or 0\n",
    )
    assert result.out == "{} []\n"
    assert result.run.complete


def test_a_hit_is_no_compile(tmp_path: Path):
    settings = {
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "cache"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0",
    }
    text = "import jax\nstep = jax.jit(lambda x: x @ x)\nstep(jax.numpy.ones((64, 64)))\n"
    cold, warm = (_go(tmp_path, text, **settings) for _ in range(2))
    assert cold.run.count("compiles") >= 1 and not cold.run.count("cache_hits")
    assert cold.run.total("compile") > 0 == cold.run.total("load")
    assert warm.run.count("cache_hits") == cold.run.count("compiles")
    assert not warm.run.count("compiles") and warm.run.total("load") > 0 == warm.run.total(
        "compile"
    )
    assert "load" in warm.err and "load" not in cold.err


def test_jax_came_first(tmp_path: Path):
    """What was compiled before is not known: the first program seen of a function is its first."""
    program = tmp_path / "train.py"
    program.write_text(
        "import jax, jax.numpy as jnp\n"
        "step = jax.jit(lambda x: x * 2)\n"
        "step(jnp.ones(2))\n"
        "import gotcha_sanitizer.auto\n"
        "for n in (3, 5, 7, 9):\n"
        "    step(jnp.ones(n))\n",
        "utf-8",
    )
    record = tmp_path / "run.jsonl"
    boot = "exec(compile(open({0!r}).read(), {0!r}, 'exec'))".format(str(program))
    launcher = tmp_path / "boot.py"
    launcher.write_text(f"import os\nos.environ['GOTCHA_SANITIZE'] = '1'\n{boot}\n")
    result = run(launcher, record, on=False)
    (finding,) = result.problems
    assert (finding.name, finding.cause, finding.count) == ("recompile", "shape", 3)


def test_the_loop_of_a_storm_may_be_far_out(running: Session):
    """Functions that call each other, six deep: optimizers of other libraries, fitted again."""
    jax.jit(lambda x: x)(1.0)

    def fit(depth: int, n: int) -> Any:
        return fit(depth - 1, n) if depth else jnp.cumsum(jnp.ones(n)) * 2

    for n in range(41, 49):
        fit(6, n)
    assert "`cumsum`" in problems(running)["eager-op-storm/"]
