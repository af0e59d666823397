"""Which variable an update of an array replaces, and whether the loop uses it otherwise."""

from __future__ import annotations

import pytest

from gotcha_lint.program.array_updates import ArrayUpdate, Growth, array_update, growth
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


def grown(text: str) -> Growth | None:
    """By the last call of `concatenate` in the function `f`."""
    module = parse("a.py", "a", text)
    function = next(f for f in module.functions if f.name == "f")
    made = {i[1] for i in instructions(function.body) if i[0] == "attr" and i[3] == "concatenate"}
    calls = [i[-1] for i in instructions(function.body) if i[0] == "call" and i[2] in made]
    return growth(function, calls[-1], None)


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("x = jnp.concatenate([x, i])", Growth("x", in_loop=True)),
        ("x = i if x is None else jnp.concatenate([x, i])", Growth("x", in_loop=True)),
        ("x.y = jnp.concatenate([x.y, i])", Growth("x.y", in_loop=True)),
        ("x = jnp.concatenate([x[1:], i])", None),
        ("y = jnp.concatenate([x, i])", None),
        ("x = n; x = jnp.concatenate([x, i])", None),
        ("x = jnp.concatenate([x, i]); x = x[-9:]", None),
        ("x = n; x.y = jnp.concatenate([x.y, i])", None),
    ],
)
def test_what_grows_in_a_loop(body, known):
    assert grown(IN_A_LOOP.format(body)) == known


def test_what_grows_at_each_call():
    text = "def f(self, v):\n    self.x = jnp.concatenate([self.x, v])\n"
    assert grown(text) == Growth("self.x")


def test_a_parameter_that_is_returned_grows_for_the_caller():
    assert grown("def f(x, v):\n    return jnp.concatenate([x, v])\n") == Growth("x", parameter="x")
    assert grown("def f(x, v):\n    x = v\n    return jnp.concatenate([x, x])\n") is None
