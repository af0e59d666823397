"""`equinox.filter_jit`: the user's function and the names of his arguments, not Equinox's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gotcha_sanitizer as gotcha
from gotcha_sanitizer.run.session import Session
from tests.sanitizer.inside import lost, mine, problems
from tests.sanitizer.support import run

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
eqx = pytest.importorskip("equinox")

STATIC, SHAPE = "recompile/static-value", "recompile/shape"


class Net(eqx.Module):
    linear: Any
    scale: float

    def __init__(self, scale: float = 1.0):
        self.linear = eqx.nn.Linear(3, 2, key=jax.random.key(0))
        self.scale = scale

    def __call__(self, x):
        return jax.vmap(self.linear)(x) * self.scale

    @eqx.filter_jit
    def predict(self, x, twice=False):
        return self(x) * (2 if twice else 1)


def afresh():
    """A function that JAX has not seen: this process runs several tests."""

    def step(model, x, i, *, rate=0.1):
        return model(x).sum() * i * rate

    return step


def test_a_number_is_named_and_what_to_do_said(running: Session):
    jitted = eqx.filter_jit(afresh())
    model, x = Net(), jnp.ones((4, 3))
    for i in range(7):
        jitted(model, x, i)
    assert "another static value: i: 5 -> 6" in problems(running)[STATIC]
    (found,) = running.run.problems
    assert found.advice.startswith("pass an array, as `jnp.asarray(i)`")
    assert found.chain[-1][0].path == __file__
    assert found.chain[-1][1] == "afresh.step is defined here"
    assert not lost(running)


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        (lambda f, x: [f(Net(float(n)), x, 1) for n in range(7)], "model.scale: 5 -> 6"),
        (lambda f, x: [f(Net(), x, 1, rate=n / 4) for n in range(7)], "rate: 1.25 -> 1.5"),
        (lambda f, x: [f(Net(), x[:n], 1) for n in (3, 5, 7, 8, 9)], "x: float32[8,3] -> "),
    ],
    ids=["of the model", "by keyword", "shape"],
)
def test_arguments_have_the_names_of_the_user(calls, said: str, running: Session):
    calls(eqx.filter_jit(afresh()), jnp.ones((9, 3)))
    (message,) = problems(running).values()
    assert said in message
    assert {program["function"] for program in mine(running)} == {"afresh.step"}


def test_methods_and_models_that_are_called(running: Session):
    """`self` is an argument: another model is no other program, and nothing is stale."""
    x = jnp.ones((4, 3))
    whole = Net()
    for _ in range(3):
        whole.predict(x)
        eqx.filter_jit(whole)(x)
        whole = eqx.tree_at(lambda m: m.linear.weight, whole, whole.linear.weight + 1)
    assert not problems(running)
    assert len(mine(running)) == 2


def test_a_method_with_other_shapes(running: Session):
    for n in (3, 5, 7, 8, 9):
        Net().predict(jnp.ones((n, 3)))
    assert "x: float32[8,3] -> float32[9,3]" in problems(running)[SHAPE]


def test_two_functions_of_one_name_are_two(running: Session):
    def trainer(rate: float):
        def step(x):
            return x * rate

        return eqx.filter_jit(step)

    def evaluator():
        @eqx.filter_jit
        def step(x, y, z):
            return x + y + z

        return step

    x = jnp.ones(3)
    for jitted, arguments in ((trainer(0.1), (x,)), (evaluator(), (x, x, x))):
        jitted(*arguments)
    assert not problems(running)
    assert not running.run.findings
    assert len({program["line"] for program in mine(running)}) == 1


def test_history_and_budget_see_it(running: Session):
    jitted = eqx.filter_jit(afresh())
    with pytest.raises(gotcha.Recompiled), gotcha.budget(jitted):
        for n in (3, 4):
            jitted(Net(), jnp.ones((n, 3)), 1)
    assert len(gotcha.history(jitted)) == 2


PROGRAM = """\
import time

import equinox as eqx
import jax.numpy as jnp

SCALE = 2.0
TABLE = jnp.ones((1024, 512))


@eqx.filter_jit
def step(x):
    return (x * SCALE) @ TABLE


x = jnp.ones((2, 1024))
step(x)
SCALE = 3.0
for _ in range(60):
    step(x)
    time.sleep(0.02)
"""


def test_what_it_captures_is_named_and_watched(tmp_path: Path):
    path = tmp_path / "train.py"
    path.write_text(PROGRAM, "utf-8")
    result = run(path, tmp_path / "run.jsonl")
    said = {f.name: f.message for f in result.problems}
    assert said.keys() == {"stale-capture", "large-constant-captured"}, result.err
    assert said["stale-capture"].startswith("`step`: `SCALE` was 2 when it was traced and is 3 now")
    assert "`TABLE`, float32[1024,512]" in said["large-constant-captured"]
