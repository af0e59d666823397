"""Is a captured variable used as data, or as a model that is called?"""

from __future__ import annotations

import textwrap

import pytest

from gotcha_lint.program.data_flow import instructions, is_kept
from gotcha_lint.program.data_use import is_used_as_data
from gotcha_lint.program.parse import parse

SIZES = {"arange": (0,)}
HEAD = "import jax\nimport jax.numpy as jnp\n"


def functions(code: str):
    return parse("m.py", "m", HEAD + textwrap.dedent(code)).functions


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("w * batch", True),
        ("jnp.dot(w, batch)", True),
        ("loss(w, batch)", True),
        ("loss(w, batch['x'])", True),
        ("loss(w, *batch)", True),
        ("jnp.arange(batch)", False),
        ("batch(w)", False),
        ("batch.reset(w)", False),
        ("w * batch + batch.reset(w)", False),
        ("print(batch)", False),
        ("w", False),
    ],
)
def test_a_captured_variable(body, expected):
    code = f"""
        def loss(w, x):
            return w - x

        def run(batch):
            return lambda w: {body}
        """
    every = functions(code)
    owner = next(f for f in every if f.name == "run")
    traced = [f for f in every if f.name in ("<lambda>", "loss")]
    assert is_used_as_data(owner, "batch", traced, SIZES) is expected


def test_a_variable_of_the_module():
    every = functions("def step(w):\n    return w * batch\n")
    assert is_used_as_data(None, "batch", [f for f in every if f.name == "step"], SIZES)


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("return made(x)", False),
        ("other = made; return other(x)", False),
        ("self.made = made; return made(x)", True),
        ("return made", True),
        ("run(made); return x", True),
        ("return [made]", True),
    ],
)
def test_is_what_a_call_gives_kept(end, expected):
    every = functions(f"def act(self, x):\n    made = jax.jit(self.policy)\n    {end}\n")
    act = next(f for f in every if f.name == "act")
    span = next(i[-1] for i in instructions(act.body) if i[0] == "call")
    assert is_kept(act, span) is expected
