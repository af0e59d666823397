"""`gotcha-sanitize nan`: the program as it is, then what made its first NaN."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sanitizer.support import SOURCES

STEP = """
import sys
from functools import partial
import jax, jax.numpy as jnp

def loss(p, x):
    h = jnp.tanh(x @ p["w"])
    return jnp.log(h - 0.9).sum()

@partial(jax.jit, donate_argnums=0, static_argnames="lr")
def step(p, x, lr=0.1):
    l, g = jax.value_and_grad(loss)(p, x)
    return jax.tree.map(lambda a, b: a + lr * b, p, g), l

p = {"w": jnp.ones((2, 3)) * 3}
for i in range(int(sys.argv[1])):
    p, l = step(p, jnp.ones((4, 2)) - 0.3 * i, lr=0.01)
    print("step", i)
"""

EAGER = """
import jax, jax.numpy as jnp
def f(x):
    return jnp.log(x).sum()
print(f(jnp.array([1.0, -1.0])))
"""

GRADIENT = """
import jax, jax.numpy as jnp
def f(x):
    return jnp.where(x > 0, jnp.sqrt(x), 0.0).sum()
print(jax.grad(f)(jnp.array([1.0, 0.0])))
"""

EXIT = "import sys, jax; sys.exit(3)\n"


def nan(text: str, tmp_path: Path, *args: str) -> subprocess.CompletedProcess[str]:
    program = tmp_path / "train.py"
    program.write_text(text, "utf-8")
    command = [sys.executable, "-m", "gotcha_sanitizer.cli", "nan", str(program), *args]
    env = os.environ | {"PYTHONPATH": SOURCES, "JAX_PLATFORMS": "cpu", "GOTCHA_OPTIONS": ""}
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)


def test_a_step_that_donates(tmp_path: Path):
    done = nan(STEP, tmp_path, "5")
    assert done.returncode == 1
    assert done.stdout.startswith("step 0\n")
    assert "step 4" not in done.stdout
    assert "FloatingPointError" in done.stderr
    assert f"first nan: `log` at {tmp_path / 'train.py'}:8 in `loss`, forward pass" in done.stderr
    assert "given: float32[4,3]" in done.stderr
    assert "why: the logarithm of a negative number" in done.stderr
    assert "(log-of-negative-number)" in done.stderr


def test_no_nan(tmp_path: Path):
    done = nan(STEP, tmp_path, "1")
    assert (done.returncode, done.stdout) == (0, "step 0\n"), done.stderr
    assert "no NaN" in done.stderr


def test_an_operation_outside_of_jit(tmp_path: Path):
    done = nan(EAGER, tmp_path)
    assert done.returncode == 1
    assert f"first nan: `log` at {tmp_path / 'train.py'}:4" in done.stderr
    assert "min -1, max 1" in done.stderr


def test_a_gradient_outside_of_jit(tmp_path: Path):
    done = nan(GRADIENT, tmp_path)
    assert done.returncode == 1
    assert "backward pass" in done.stderr
    assert "from an infinity: `div`" in done.stderr
    assert "(infinite-derivative)" in done.stderr


def test_exit_code_and_missing_program(tmp_path: Path):
    assert nan(EXIT, tmp_path).returncode == 3
    command = [sys.executable, "-m", "gotcha_sanitizer.cli", "nan", str(tmp_path / "no.py")]
    env = os.environ | {"PYTHONPATH": SOURCES}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "can't open file" in done.stderr


NNX = """
import jax, jax.numpy as jnp
from flax import nnx

class Model(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)

    def __call__(self, x):
        return jnp.log(self.linear(x) - 5.0)

@nnx.jit
def step(model, x):
    loss, grads = nnx.value_and_grad(lambda model: model(x).sum())(model)
    nnx.update(model, jax.tree.map(lambda p, g: p - 0.1 * g, nnx.state(model), grads))
    return loss

model = Model(nnx.Rngs(0))
step(model, jnp.ones((2, 3)))
"""


def test_a_function_that_cannot_run_twice(tmp_path: Path):
    pytest.importorskip("flax")
    done = nan(NNX, tmp_path)
    assert f"first nan: `log` at {tmp_path / 'train.py'}:10" in done.stderr, done.stderr
    assert "given: float32[2,3]" in done.stderr


def test_the_answer_comes_last_and_alone(tmp_path: Path):
    done = nan(EAGER, tmp_path)
    assert done.stderr.splitlines()[-1].startswith("  given: ")
    assert "where-nan-gradient" not in done.stderr and "gotcha:" not in done.stderr
