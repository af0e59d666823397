"""`guard=N`: JAX's own checks over a second evaluation; the program itself does not change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sanitizer.support import Result, run

pytest.importorskip("jax")

PROGRAM = """
import jax, jax.numpy as jnp
from functools import partial

kept = []

@jax.jit
def beyond(x, i):
    return x[i]  # out of bounds

@partial(jax.jit, donate_argnums=0)
def shrinks(w, x):
    print("traced")
    return jnp.log(w - x), x + w[0]  # the second step gives a NaN

@jax.jit
def promotes(x):
    key = jax.random.key(0)
    kept.append(x * 2)  # leaks
    noise = jax.random.normal(key, (3,)) + jax.random.uniform(key, (3,))  # one key, twice
    return x[:, None] + x + noise  # promotes

@jax.jit
def talks(x):
    jax.debug.print("called with {}", x.sum())
    return x

print(beyond(jnp.arange(3.0), jnp.asarray(7)))
print(shrinks(jnp.full(3, 2.0), jnp.ones(3))[0])
print(promotes(jnp.ones(3)).shape, talks(jnp.ones(3)))
jax.effects_barrier()
"""


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Result]:
    folder: Path = tmp_path_factory.mktemp("guard")
    program = folder / "train.py"
    program.write_text(PROGRAM)
    return run(program, folder / "off.jsonl", on=False), run(
        program, folder / "on.jsonl", options="guard=3"
    )


def test_the_program_does_the_same(guarded: tuple[Result, Result]):
    off, on = guarded
    assert (on.code, on.out) == (off.code, off.out)
    assert on.out.count("traced") == 1 and on.out.count("called with") == 1
    assert "guard" not in on.run.degraded, on.run.degraded


@pytest.mark.parametrize(
    ("cause", "line"),
    [
        ("out-of-bounds", "# out of bounds"),
        ("not-finite", "gives a NaN"),
        ("leaked-tracer", ""),
        ("key-reuse", ""),
        ("rank-promotion", "promotes"),
    ],
)
def test_what_jax_says_is_a_finding(guarded: tuple[Result, Result], cause: str, line: str):
    found = [f for f in guarded[1].run.findings.values() if f.name == "failed-guard"]
    (one,) = [f for f in found if f.cause == cause]
    assert one.advice and one.site is not None
    if line:
        assert line in PROGRAM.splitlines()[one.site.line - 1], one


def test_without_it_nothing_is_captured(guarded: tuple[Result, Result], tmp_path: Path):
    program = tmp_path / "train.py"
    program.write_text(PROGRAM)
    result = run(program, tmp_path / "run.jsonl")
    assert not [f for f in result.run.findings.values() if f.name == "failed-guard"]


DRAWN = """
import jax, jax.numpy as jnp

@jax.jit
def step(w, key):
    return w * 0.9 + jnp.log(w * 0 + jax.random.uniform(key) - 0.5)  # gives a NaN

good = next(n for n in range(99) if jax.random.uniform(jax.random.key(n)) > 0.5)
step(jnp.ones(3), jax.random.key(good))
"""


def test_random_keys_are_others_in_each_step(tmp_path: Path):
    program = tmp_path / "train.py"
    program.write_text(DRAWN)
    result = run(program, tmp_path / "run.jsonl", options="guard=8")
    (found,) = [f for f in result.problems if f.name == "failed-guard"]
    assert found.cause == "not-finite" and "a NaN comes out of step" in found.message


MODULE = """
import jax, jax.numpy as jnp
from flax import nnx

model = nnx.Linear(3, 3, rngs=nnx.Rngs(0))

@nnx.jit
def step(model, x):
    return jnp.log(model(x) * 0.0 - 1.0)  # gives a NaN

step(model, jnp.ones((2, 3)))
"""


def test_a_function_that_cannot_run_twice_is_judged_by_its_program(tmp_path: Path):
    pytest.importorskip("flax")
    program = tmp_path / "train.py"
    program.write_text(MODULE)
    result = run(program, tmp_path / "run.jsonl", options="guard=2")
    (found,) = [f for f in result.problems if f.name == "failed-guard"]
    assert found.cause == "not-finite" and found.site is not None
    assert "gives a NaN" in MODULE.splitlines()[found.site.line - 1]


LATER = """
import jax, jax.numpy as jnp

class Data:
    def __init__(self):
        self.index = jnp.asarray(0)

@jax.jit
def picks(table, index):
    return table[index]  # out of bounds, from the fourth call on

@jax.jit
def decays(w, scale):
    return jnp.log(w) * 0 + w - scale  # gives a NaN, from the sixth call on

def main():
    table, data, w = jnp.arange(3.0), Data(), jnp.full(3, 5.0)
    for i in range(40):
        data.index = jnp.asarray(i)
        x = picks(table, data.index)
        w = decays(w, scale=jnp.asarray(1.0))
    print(x, w)

main()
"""


def test_the_arguments_of_later_calls_are_judged_too(tmp_path: Path):
    program = tmp_path / "train.py"
    program.write_text(LATER)
    off = run(program, tmp_path / "off.jsonl", on=False)
    result = run(program, tmp_path / "run.jsonl", options="guard=1")
    assert (result.code, result.out) == (off.code, off.out)
    found = {f.cause: f for f in result.run.findings.values() if f.name == "failed-guard"}
    for cause, line in (("out-of-bounds", "# out of bounds"), ("not-finite", "gives a NaN")):
        site = found[cause].site
        assert site is not None and line in LATER.splitlines()[site.line - 1]
        assert "with the arguments of call" in found[cause].message
    assert not [f for f in result.problems if f.name == "silent-training-error"]
