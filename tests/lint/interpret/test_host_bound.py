"""Loops that start their operations one by one: where most of them start."""

from __future__ import annotations

import pytest

from tests.lint.support import lint_files

TEXT = """
import jax.numpy as jnp


def layer(w, x):
    return jnp.tanh(x @ w) + jnp.sin(x) * 2.0 - jnp.cos(x)


def model(w, x):
    for _ in range(4):
        x = layer(w, x)
    return x


w = jnp.ones((4, 4))
x = jnp.ones((4, 4))
for step in range(1000):
    x = x + 1.0
    x = model(w, x)
"""


def test_the_call_that_starts_most_of_them_is_shown(tmp_path):
    (found,) = lint_files(tmp_path, {"train.py": TEXT}, select=("host-bound-loop",))
    lines = TEXT.splitlines()
    assert lines[found.line - 1] == "for step in range(1000):"
    first = found.chain[0]
    assert first.message == "most of them start here"
    assert lines[first.line - 1].strip() == "x = model(w, x)"


def test_no_call_is_shown_where_none_starts_most(tmp_path):
    text = TEXT.replace("    x = model(w, x)\n", "    x = layer(w, x)\n" * 6)
    (found,) = lint_files(tmp_path, {"train.py": text}, select=("host-bound-loop",))
    assert [place.message for place in found.chain] == []


def test_two_calls_that_start_most_of_them(tmp_path):
    text = TEXT.replace("    x = model(w, x)\n", "    x = model(w, x)\n    x = model(w, x)\n")
    (found,) = lint_files(tmp_path, {"train.py": text}, select=("host-bound-loop",))
    assert [place.message for place in found.chain] == ["many of them start here"] * 2


LAYERS = """
import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs):
        self.dense = nnx.Linear(8, 8, rngs=rngs)

    def __call__(self, x, state=None):
        return x + self.dense(x), state


class Model(nnx.Module):
    def __init__(self, depth, rngs):
        self.blocks = nnx.List({})

    def __call__(self, x, states):
        {}
        return x
"""


@pytest.mark.parametrize(
    "blocks", ["[Block(rngs) for _ in range(depth)]", "Block(rngs) for _ in range(depth)"]
)
@pytest.mark.parametrize(
    "loop",
    [
        "for block in self.blocks:\n            x, _ = jax.remat(block)(x)",
        "for i, block in enumerate(self.blocks):\n            x, _ = block(x, i)",
        "for block, state in zip(self.blocks, states):\n            x, _ = block(x, state)",
    ],
)
def test_a_loop_over_layers_of_one_class_is_unrolled(tmp_path, blocks, loop):
    text = LAYERS.format(blocks, loop)
    (found,) = lint_files(tmp_path, {"model.py": text}, select=("unrolled-loop",), all=True)
    assert (found.line, found.severity) == (20, "info")


MODEL = """
import flax.linen as nn
import jax
import jax.numpy as jnp


class Model(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(8)(x)


def predict(params, x):
    return Model().apply({"params": params}, x)


def show(params, x):
    y = Model().apply({"params": params}, x)
    print(float(jnp.sum(y)))


@jax.jit
def compiled(params, x):
    return Model().apply({"params": params}, x)


def show_compiled(params, x):
    print(float(jnp.sum(compiled(params, x))))
"""


def test_a_model_that_a_function_runs_at_each_call_is_a_note(tmp_path):
    """Where nothing is read, a caller may trace it."""
    (found,) = lint_files(tmp_path, {"m.py": MODEL}, select=("host-bound-loop",), all=True)
    assert (found.line, found.severity) == (18, "info")


DEEP = """
import jax
import jax.numpy as jnp
import flax.linen as nn


class Model(nn.Module):
    @nn.compact
    def __call__(self, x):
        for _ in range(8):
            x = nn.relu(nn.Dense(8)(x))
        return x


class Trainer:
    def __init__(self, loader):
        self.model = Model()
        self.loader = loader
        self.params = self.model.init(jax.random.key(0), jnp.ones((1, 8)))

    def measure(self, x):
        out = self.model.apply(self.params, x)
        return jnp.mean(out)

    def evaluate(self):
        total = 0.0
        for x in self.loader:
            total += float(self.measure(x))
        return total


def main(loader):
    print(Trainer(loader).evaluate())
"""


def test_the_model_within_the_call_that_starts_most_is_shown(tmp_path):
    (found,) = lint_files(tmp_path, {"train.py": DEEP}, select=("host-bound-loop",))
    lines = DEEP.splitlines()
    assert lines[found.line - 1].strip() == "for x in self.loader:"
    shown = [(place.message, lines[place.line - 1].strip()) for place in found.chain[:2]]
    assert shown == [
        ("most of them start here", "total += float(self.measure(x))"),
        ("which calls this", "out = self.model.apply(self.params, x)"),
    ]


SEARCH = """
import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    return w - x


def prepare(w):
    for _ in range(7):
        w = jnp.sin(w) + jnp.cos(w) * 2.0 - jnp.tanh(w) / 3.0 + jnp.exp(w) - jnp.log(w) * w
    return w


def train(rate):
    w = prepare(jnp.ones((4, 4)))
    for number in range(10_000):
        w = step(w, rate)
    return float(w.sum())


for number in range(200):
    print(train(number / 200))
"""


def test_what_a_training_run_starts_besides_its_steps_is_no_loop_of_its_own(tmp_path):
    assert lint_files(tmp_path, {"search.py": SEARCH}, select=("host-bound-loop",)) == []


FEW = """
import jax
import jax.numpy as jnp


@jax.jit
def step(w):
    return w * 0.5


def prepare(w):
    for _ in range(7):
        w = jnp.sin(w) + jnp.cos(w) * 2.0 - jnp.tanh(w) / 3.0 + jnp.exp(w) - jnp.log(w) * w
    return w


w = jnp.ones((4, 4))
for number in range(12):
    w = step(prepare(w))
"""


@pytest.mark.parametrize(("count", "found"), [("12", 0), ("1200", 1)])
def test_beside_compiled_functions_the_number_of_all_operations_counts_too(tmp_path, count, found):
    text = FEW.replace("range(12)", f"range({count})")
    files = lint_files(tmp_path, {"few.py": text}, select=("host-bound-loop",))
    assert len(files) == found
