"""How many programs a function has, and why: what a run of each program records, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from gotcha_lint.config.settings import Settings, SettingsFinder
from gotcha_lint.engine import lint
from gotcha_lint.solve import roots
from gotcha_lint.tools import Tools
from gotcha_lint.views.compiles import Row
from tests.lint.support import code, lint_files

HEAD = """
import functools
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from flax.training.train_state import TrainState


@jax.jit
def step(x, y=None):
    return x
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def rows(text: str) -> dict[str, Row]:
    """The rows of a program, by the function's name."""
    Path("train.py").write_text(HEAD + code(text), "utf-8")
    found, failures = Tools().compiles(["train.py"], SettingsFinder(), screen=True, overlay={})
    assert failures == []
    return {row.function: row for row in found if not row.exported}


def predicted(text: str, function: str = "step") -> tuple[int | str, set[tuple[str, str]]]:
    """The number of programs, or what there is one for; and kinds and arguments of the reasons."""
    row = rows(text)[function]
    return row.per or row.programs, {(reason.kind, reason.argument) for reason in row.reasons}


ONCE = (1, set())


def test_a_few_sizes_in_a_loop():
    text = """
        for size in (1, 2, 4):
            step(np.zeros((size, 3)))
    """
    assert predicted(text) == (3, {("shape", "x")})


def test_sizes_of_calls_in_different_places():
    assert predicted("step(jnp.ones(3)); step(jnp.ones(4)); step(jnp.ones(3))") == (
        2,
        {("shape", "x")},
    )
    assert predicted("step(jnp.ones(3)); step(jnp.ones((3, 1)))") == (2, {("shape", "x")})


def test_sides_of_a_branch_are_not_added_up():
    text = """
        def run(wide):
            if wide:
                step(jnp.ones(4))
            else:
                step(jnp.ones(3))


        run(input())
    """
    assert predicted(text) == ONCE


def test_what_is_not_known_equals_everything():
    text = """
        def run(load):
            step(jnp.ones(3))
            step(load())


        run(open)
    """
    assert predicted(text) == ONCE


def test_a_few_static_values():
    text = """
        @functools.partial(jax.jit, static_argnums=1)
        def train(x, epoch):
            return x


        for epoch in range(5):
            for _ in range(9):
                train(jnp.ones(3), epoch)
    """
    assert predicted(text, "train") == (5, {("value", "epoch")})


def test_a_call_that_equals_many_does_not_hide_them():
    text = """
        def sizes():
            for number in range(9):
                yield np.zeros((4, 8, 16)[number % 3])


        y = jnp.ones(3)
        for x in sizes():
            step(x, y)
            y = open(y)
    """
    assert predicted(text) == (3, {("shape", "x")})


def test_dtypes_of_a_loop():
    text = """
        for kind in (np.float32, np.int32):
            step(np.ones(4, kind))
    """
    assert predicted(text) == (2, {("dtype", "x")})


@pytest.mark.parametrize("made", ["np.ones(4).astype(kind)", "jnp.asarray(0.5, dtype=kind)"])
def test_other_ways_to_a_dtype(made: str):
    text = f"""
        for kind in (np.float32, np.int32):
            step({made})
    """
    assert predicted(text) == (2, {("dtype", "x")})


MAKE = """
def make(rate):
    @jax.jit
    def inner(x):
        return x * rate

    return inner


"""


def test_functions_that_are_made_one_by_one():
    text = MAKE + "slow, fast = make(0.1), make(0.2)\nslow(jnp.ones(3))\nfast(jnp.ones(3))\n"
    assert predicted(text, "inner") == (2, {("identity", "")})


def test_functions_that_are_made_on_sides_of_a_branch():
    text = MAKE + code("""
        step = make(0.1) if input() else make(0.2)
        for _ in range(3):
            step(jnp.ones(3))
    """)
    assert predicted(text, "inner") == ONCE


def test_a_list_of_functions_that_were_made():
    text = MAKE + "for each in [make(0.1), make(0.2)]:\n    each(jnp.ones(3))\n"
    assert predicted(text, "inner") == (2, {("identity", "")})


def test_a_function_that_is_made_once_and_called_twice():
    text = MAKE + "slow = make(0.1)\nslow(jnp.ones(3))\nslow(jnp.ones(3))\n"
    assert predicted(text, "inner") == ONCE


def test_a_loop_over_functions_calls_each_once():
    text = """
        def first():
            return jax.jit(lambda x: x)(jnp.ones(3))


        def second():
            return 2


        for each in (first, second):
            each()
    """
    assert predicted(text, "lambda") == ONCE


def test_a_loop_in_a_loop_over_functions_calls_them_again():
    text = """
        def first():
            return jax.jit(lambda x: x)(jnp.ones(3))


        def second():
            return 2


        for _ in range(3):
            for each in (first, second):
                each()
    """
    assert predicted(text, "lambda")[1] == {("identity", "")}


def test_a_loop_over_functions_that_is_left():
    text = """
        def first():
            return jnp.ones(3)


        def second():
            return jnp.ones(4)


        for each in (first, second):
            x = each()
            break
        step(x)
    """
    assert predicted(text) == ONCE


def test_static_data_of_a_train_state():
    text = """
        for _ in range(3):
            tx = optax.sgd(0.1)
            step(TrainState.create(apply_fn=None, params=jnp.ones(3), tx=tx))
    """
    assert predicted(text)[1] == {("data", "x.tx")}


def test_static_data_that_tree_flatten_gives():
    text = """
        @jax.tree_util.register_pytree_node_class
        class State:
            def __init__(self, weights, update):
                self.weights, self.update = weights, update

            def tree_flatten(self):
                return (self.weights,), self.update

            @classmethod
            def tree_unflatten(cls, update, children):
                return cls(children[0], update)


        def make(rate):
            return lambda weights: weights - rate


        for _ in range(3):
            step(State(jnp.ones(3), make(0.1)))
    """
    assert predicted(text)[1] == {("data", "x")}


def test_static_data_of_ones_own_train_state():
    text = """
        class State(TrainState):
            stats: jax.Array


        tx = optax.sgd(0.1)
        state = State.create(apply_fn=None, params=jnp.ones(3), tx=tx, stats=jnp.ones(2))
        for _ in range(3):
            step(state.replace(tx=optax.sgd(0.2)))
    """
    assert predicted(text)[1] == {("data", "x.tx")}


def test_a_jitted_function_within_an_eager_gradient():
    text = """
        step(jnp.ones(()))
        jax.grad(step)(jnp.ones(()))
    """
    assert predicted(text) == (2, {("transform", "")})


def test_two_places_that_compile_one_function_share_its_programs():
    text = """
        def double(x):
            return x * 2


        jax.jit(double)(jnp.ones(3))
        jax.jit(double)(jnp.ones(3))
        jax.jit(double)(jnp.ones(4))
    """
    Path("train.py").write_text(HEAD + code(text), "utf-8")
    found, _ = Tools().compiles(["train.py"], SettingsFinder(), screen=True, overlay={})
    assert [(r.programs, r.shared) for r in found if r.function == "double"] == [(2, True)] * 3


def test_static_floats_that_are_close_together():
    text = """
        @functools.partial(jax.jit, static_argnames="rate")
        def train(x, rate):
            return x * rate


        losses = []
        for _ in range(20):
            losses.append(train(jnp.ones(3), rate=1 / (1 + len(losses))))
    """
    assert predicted(text, "train")[1] == {("value", "rate")}


def test_an_array_that_is_read_by_two_names_is_one_constant():
    text = """
        table = jnp.ones(100)
        again = table
        jax.jit(lambda x: x + table[0] + again[1])(jnp.ones(3))
    """
    assert rows(text)["lambda"].constants == 400


def test_other_functions_as_static_arguments():
    text = """
        @functools.partial(jax.jit, static_argnums=0)
        def run(f, x):
            return f(x)


        run(jnp.tanh, jnp.ones(3))
        run(lambda x: x, jnp.ones(3))
        run(lambda x: x * 2, jnp.ones(3))
    """
    assert predicted(text, "run") == (2, {("object", "f")})


def test_an_argument_that_is_left_out_once():
    text = """
        @functools.partial(jax.jit, static_argnames="rate")
        def train(x, rate=1.0):
            return x * rate


        train(jnp.ones(3))
        train(jnp.ones(3), rate=1.0)
    """
    assert predicted(text, "train") == (2, {("style", "")})


def test_an_array_that_grows_by_something_unknown():
    text = """
        buffer = jnp.zeros((1, 4))
        for position in range(20):
            token = open(buffer)
            step(buffer)
            buffer = jnp.concatenate([buffer, token], axis=1)
    """
    assert predicted(text)[1] == {("shape", "x")}


def test_the_same_static_data():
    text = """
        tx = optax.sgd(0.1)
        for _ in range(3):
            step(TrainState.create(apply_fn=None, params=jnp.ones(3), tx=tx))
    """
    assert predicted(text) == ONCE


def test_static_data_of_an_optimizer():
    text = """
        model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
        for _ in range(3):
            step(nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param))
    """
    assert predicted(text)[1] == {("data", "x")}


def test_what_only_outsiders_call_is_told_apart():
    Path("lib.py").write_text(HEAD + "\n\ndef run(x):\n    return step(x)\n", "utf-8")
    found, _ = Tools().compiles(["lib.py"], SettingsFinder(), screen=True, overlay={})
    assert [row.exported for row in found] == [True]


LONG_TRACE = """
import time

import jax
import jax.numpy as jnp


@jax.jit
def long(x):
{lines}
    return x


def measured(x):
    start = time.time()
    y = long(x)
    print(time.time() - start)
    return y
"""


def test_a_long_trace_does_not_hide_what_follows(monkeypatch, tmp_path):
    monkeypatch.setattr(roots, "ROOT_BUDGET", 400)
    monkeypatch.setattr(roots, "_LEAST", 400)
    text = LONG_TRACE.format(lines="    x = jnp.sin(x)\n" * 200)
    found = lint_files(tmp_path, {"train.py": text}, select=("timing-without-wait",))
    assert [f.name for f in found] == ["timing-without-wait"]


def test_what_a_root_has_seen_before_its_budget_ends_stands(monkeypatch):
    monkeypatch.setattr(roots, "ROOT_BUDGET", 300)
    monkeypatch.setattr(roots, "_LEAST", 300)
    text = f"""
        def main(xs):
            for size in (1, 2, 4):
                step(np.zeros((size, 3)))
            report(xs)


        def report(xs):
            {"; ".join(f"x{number} = len(xs) + {number}" for number in range(200))}
    """
    Path("train.py").write_text(HEAD + code(text), "utf-8")
    found, _ = Tools().compiles(["train.py"], SettingsFinder(), screen=True, overlay={})
    assert [(r.kind, r.argument) for row in found for r in row.reasons] == [("shape", "x")]


def test_what_a_partial_binds_has_the_name_of_its_parameter():
    text = """
        def look_up(scale, table, x):
            return scale * table[x]

        jax.jit(functools.partial(look_up, 2.0, jnp.ones((512, 512))))(1)
    """
    rows(text)
    report = lint(["train.py"], lambda _: Settings(select=("large-constant-captured",)))
    (found,) = report.findings
    assert "captures 1 MiB of arrays (`table`)" in found.message


def test_a_class_method_is_compiled():
    text = """
        class Agent:
            rate = 0.1

            @classmethod
            def update(cls, x, y=None):
                return x - cls.rate

            @classmethod
            def lost(cls, x, size):
                return x[:size]


        agent = Agent()
        first = jax.jit(agent.update)
        second = jax.jit(Agent.lost, static_argnums=(1,))
        first(jnp.ones(1)), first(jnp.ones(2))
        second(jnp.ones(8), 1), second(jnp.ones(8), 2)
    """
    assert predicted(text, "update") == (2, {("shape", "x")})
    assert predicted(text, "lost") == (2, {("value", "size")})
