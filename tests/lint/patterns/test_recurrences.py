"""Which loops carry a state from turn to turn."""

from __future__ import annotations

import pytest

from gotcha_lint.patterns.recurrences import carries_state
from tests.lint.program.support import lowered
from tests.lint.support import lint_files


@pytest.mark.parametrize(
    ("body", "carries"),
    [
        ("h = cell(h, x)", True),
        ("h = a * h + x", True),
        ("h = tanh(h + x)", True),
        ("h += dt * f(h)", True),
        ("if x:\n    h = f(h)", True),
        ("y, h = cell(x, h)", True),
        ("h = f(x)\nout.append(h)", False),
        ("total = total + f(x)", False),
        ("total += f(x)", False),
        ("out = out.at[x].set(f(x))", False),
    ],
)
def test_what_a_turn_keeps(body: str, carries: bool) -> None:
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    module = lowered(f"def g(xs, h, out, total):\n    for x in xs:\n{lines}")
    (loop,) = (i for i in module.functions[0].body if i[0] == "for")
    assert carries_state(loop[4]) == carries


ROWS = """
import jax
import jax.numpy as jnp


@jax.jit
def embed(tokens, table, places):
    return jnp.stack([table[:, t] + p for t, p in zip(tokens, places)])


@jax.jit
def rows(tokens, table):
    return jnp.stack([table[:, t] + i for i, t in enumerate(tokens)])
"""


def test_the_rows_of_what_is_traced_are_so_many(tmp_path) -> None:
    """With `zip` and `enumerate`, too; what a tree has as leaves, no one knows: a may."""
    assert lint_files(tmp_path / "a", {"a.py": ROWS}, ("unrolled-loop",)) == []
    found = lint_files(tmp_path / "b", {"a.py": ROWS}, ("unrolled-loop",), all=True)
    assert [f.line for f in found] == [8, 13]
