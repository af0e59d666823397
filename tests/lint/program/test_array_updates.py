"""Which variable an update of an array replaces, and whether the loop uses it otherwise."""

from __future__ import annotations

import pytest

from gotcha_lint.program.array_updates import ArrayUpdate, array_update
from gotcha_lint.program.data_flow import instructions
from gotcha_lint.program.parse import parse

IN_A_LOOP = "def f(x, n):\n    for i in range(n):\n        {}\n    return x\n"


def update(text: str) -> ArrayUpdate | None:
    """Of the last call in the function `f`."""
    module = parse("a.py", "a", text)
    function = next(f for f in module.functions if f.name == "f")
    calls = [i[-1] for i in instructions(function.body) if i[0] == "call"]
    return array_update(function, calls[-1])


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("x = x.at[i].set(1)", ArrayUpdate("x", is_read=False)),
        ("x = x.at[i, :2].add(i * 2)", ArrayUpdate("x", is_read=False)),
        ("x.y = x.y.at[i].set(1)", ArrayUpdate("x.y", is_read=False)),
        ("x = x.at[i].set(x[i - 1])", ArrayUpdate("x", is_read=True)),
        ("x = x.at[0].set(1); x = x.at[i].set(2)", ArrayUpdate("x", is_read=False)),
        ("x = lax.dynamic_update_slice(x, n, (i, 0))", ArrayUpdate("x", is_read=False)),
        ("x = lax.dynamic_update_slice(x, x[0], (i, 0))", ArrayUpdate("x", is_read=True)),
        ("y = lax.dynamic_update_slice(x, n, (i, 0))", None),
        ("y = x.at[i].set(1)", None),
        ("x = x.set(1)", None),
        ("x = other(i); x = x.at[i].set(1)", None),
    ],
)
def test_in_a_loop(body, known):
    assert update(IN_A_LOOP.format(body)) == known


def test_what_is_made_in_the_function_is_new_at_each_call():
    assert update("def f(x):\n    x = x.at[0].set(1)\n    return x\n") is None


def test_what_an_object_holds_stays():
    text = "def f(self):\n    self.x = self.x.at[self.n].set(1)\n"
    assert update(text) == ArrayUpdate("self.x", is_read=False)
