"""What becomes of the results of two calls `one()` and `two()` in a function."""

from __future__ import annotations

import textwrap

import pytest

from gotcha_lint.program.data_flow import instructions
from gotcha_lint.program.parse import parse
from gotcha_lint.program.result_uses import ResultUses, uses_of_results


def uses(body: str) -> ResultUses:
    text = "def f(g, x, flag):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ")
    functions = parse("a.py", "a", text + "\n").functions
    function = next(each for each in functions if each.name == "f")
    words = {i[1]: i[2] for i in instructions(function.body) if i[0] == "load"}
    calls = [i for i in instructions(function.body) if i[0] == "call"]
    spans = [next(c[-1] for c in calls if words.get(c[2]) == name) for name in ("one", "two")]
    found = uses_of_results(function, *spans)
    assert found is not None
    return found


NO_EFFECT = {
    "never read": "a = one(); b = two(); return b",
    "replaced": "a = one(); b = two(); a = 3; return a + b",
    "asked for its shape": "a = one(); b = two(); return b.reshape(a.shape)",
    "the input of an init": "a = one(); b = two(); params = g.init(b, a); return params",
    "replaced on the way to the other one": """
        a = one()
        if flag:
            a = two()
        return a
        """,
    "returned on another path": """
        a = one()
        if flag:
            return two()
        return a
        """,
    "given to a function that never reads it": """
        def h(u, v):
            return u
        a = one()
        return h(two(), a)
        """,
}
SHOWN = {
    "printed": "a = one(); print(a); return two()",
    "plotted": "a = one() * 2; plt.plot(a); return two()",
    "asserted": "a = one(); b = two(); assert a > 0; return b",
}
KEPT = {
    "returned": "a = one(); return a, two()",
    "stored": "g.a = one(); return two()",
    "tested": "a = one(); b = two(); return b if a else 3",
    "appended": """
        rows = []
        for _ in x:
            rows.append(one())
        return rows, two()
        """,
    "handed from turn to turn": """
        a = x
        for _ in x:
            a = g.step(one(a))
        return two()
        """,
    "read by a function within": """
        a = one()
        def h():
            return a
        return h, two()
        """,
}


@pytest.mark.parametrize("name", NO_EFFECT)
def test_a_result_without_effect(name: str) -> None:
    assert uses(NO_EFFECT[name]).has_no_effect(0)


@pytest.mark.parametrize("name", SHOWN)
def test_a_result_that_is_only_shown(name: str) -> None:
    found = uses(SHOWN[name])
    assert found.is_only_shown(0) and not found.has_no_effect(0)
    assert not found.is_only_shown(1)


@pytest.mark.parametrize("name", KEPT)
def test_a_result_that_is_kept(name: str) -> None:
    assert not uses(KEPT[name]).is_only_shown(0)


def test_one_of_two_results() -> None:
    """A mask chooses between them; or each counts in a case of its own."""
    chosen = uses("return jnp.where(x, one(), two())")
    assert chosen.has_no_effect(0) and chosen.has_no_effect(1)
    assert not uses("return jnp.where(one() > 0, two(), x)").has_no_effect(0)
    assert uses("return one() * (x == 0) + two() * (x == 1)").exclude
    assert not uses("return one() * (x == 0) + two() * (x == 0)").exclude


def test_results_that_meet() -> None:
    assert uses("a = one(); b = two(); return a - b").meet
    assert not uses("a = one(); print(a); a = two(); print(a)").meet
