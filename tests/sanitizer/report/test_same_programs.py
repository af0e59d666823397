"""JAX makes the same programs with and without us, and what we walk through stays small."""

from __future__ import annotations

from pathlib import Path

import pytest

from gotcha_sanitizer.checks.recompile import Recompile
from gotcha_sanitizer.old_python import UNSEEN
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.values.events import Explained, Memory, Program
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Difference, Function, Signature, Site
from tests.sanitizer.support import Result, run

pytest.importorskip("jax")

CACHED = """
import functools, sys
import jax, jax.numpy as jnp, numpy as np
seen = {"hits": 0, "misses": 0}
def count(event, **details):
    kind = event.removeprefix("/jax/compilation_cache/cache_")
    if kind in seen:
        seen[kind] += 1
jax.monitoring.register_event_listener(count)
W = np.arange(4096.0, dtype=np.float32).reshape(64, 64)

@functools.partial(jax.jit, static_argnames="n", donate_argnums=0)
def step(state, n):
    loss = lambda s: sum(jnp.sum(jnp.tanh(s @ W) ** 2) for _ in range(n))
    return jax.tree.map(lambda s, g: s - 0.1 * g, state, jax.grad(loss)(state))

state = jnp.ones((8, 64))
for n in (1, 2):
    state = step(state, n)
print(float(jax.jit(lambda x: x.sum())(state)), jax.random.normal(jax.random.key(1), (2,)))
print(seen, file=sys.stderr)
"""


def _cached(tmp_path: Path, on: bool) -> Result:
    program = tmp_path / "train.py"
    program.write_text(CACHED, "utf-8")
    settings = {
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "cache"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }
    result = run(program, tmp_path / "run.jsonl", on=on, env=settings)
    assert result.code == 0, result.err
    return result


@pytest.mark.parametrize("first", [False, True])
def test_keys_of_the_persistent_cache_are_the_same(tmp_path: Path, first: bool):
    """What a run without us has stored is found by one with us, and the other way round."""
    cold, warm = _cached(tmp_path, first), _cached(tmp_path, not first)
    assert "'hits': 0" in cold.err and "'misses': 0}" not in cold.err
    stored = cold.err.partition("'misses': ")[2].partition("}")[0]
    assert f"{{'hits': {stored}, 'misses': 0}}" in warm.err
    assert cold.out == warm.out


NESTED = """
import jax, jax.numpy as jnp
function = jnp.sin
for _ in range(24):
    function = (lambda inner: jax.jit(lambda v: inner(v) + inner(v)))(function)
W = jnp.ones((64, 64))
key = jax.random.key(0)
lowered = jax.jit(lambda v: function(v) + W.sum() + jax.random.normal(key)).lower(1.0)
print(len(lowered.as_text()) < 100_000)
"""


def test_jits_nested_24_deep_are_walked_once(tmp_path: Path):
    """Lowered only: to compile or to differentiate it takes JAX itself 2**24 steps."""
    program = tmp_path / "train.py"
    program.write_text(NESTED, "utf-8")
    result = run(program, tmp_path / "run.jsonl", options="min_const_bytes=1K")
    assert (result.code, result.out) == (0, "True\n"), result.err
    assert not set(result.run.degraded) - UNSEEN.keys()
    assert result.run.summary["self_seconds"] < 5.0  # a walk of each path would take minutes


# -- programs that are kept -----------------------------------------------------------------------

AT = Site("train.py", 7, "main")


def _program(number: int, kept: int) -> Explained:
    made = Program(
        float(number), number, Function("step", ("step",), 1, "function", "user", AT), (AT,), (),
        Signature(), (), (), {"compile": 0.1}, True, None, kept=kept,
    )  # fmt: skip
    differs = Difference("shape", "x", f"float32[{30 + number}]", f"float32[{31 + number}]")
    return Explained(made, (differs,), number + 1, number + 1, made)


def _grown(programs: int, kept: int, rise: int) -> Finding:
    """The last finding, where each program comes with so many more bytes of the process."""
    check, found = Recompile(Options()), []
    for number in range(1, programs):
        check_at = Memory(float(number), 0, 0, resident=2**30 + rise * number)
        assert list(check.on(check_at)) == []
        found += check.on(_program(number, min(kept, number)))
    return found[-1]


def test_programs_that_stay_are_counted_with_what_the_process_grew_by():
    found = _grown(150, 10_000, 2**20)
    assert found.message.endswith("; 149 programs of it are kept, and the process grew by 148 MiB"
                                  " since")  # fmt: skip
    assert (found.evidence["kept"], found.evidence["grown"]) == (149, 148 * 2**20)


@pytest.mark.parametrize(
    ("programs", "kept", "rise"), [(90, 99, 2**20), (150, 3, 2**20), (150, 999, 9)]
)
def test_few_programs_or_a_process_that_does_not_grow_get_no_word(programs, kept, rise):
    assert "kept" not in _grown(programs, kept, rise).message


def test_how_many_programs_jax_keeps(running):
    import gc

    import jax
    import jax.numpy as jnp

    seen: list[Explained] = []
    running.listeners.append(seen.append)
    step = jax.jit(lambda x: x * 2)
    values = [jnp.zeros(n) for n in (3, 4, 5)]
    for value in values:
        step(value)
    assert [e.program.kept for e in seen if e.program.function.owner == "user"] == [1, 2, 3]
    seen.clear()
    for i in range(3):
        jax.jit(lambda x: x + i)(values[0])  # noqa: B023
        gc.collect()
    assert [e.program.kept for e in seen if e.program.function.owner == "user"] == [1, 1, 1]
