"""Stores whose values no path reads."""

from __future__ import annotations

import textwrap

import pytest

from gotcha_lint.program.dead_stores import dead_stores, overwritten_parameters
from tests.lint.program.support import lowered


def dead(body: str) -> list[str]:
    """The names of the dead stores in a function with this body, in the order of the text."""
    module = lowered("def f(a, b, xs):\n" + textwrap.indent(textwrap.dedent(body), "    "))
    function = next(each for each in module.functions if each.name == "f")
    return [name for _, name in sorted(dead_stores(function).items())]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("x = a\nreturn a", ["x"]),
        ("x = a\nx = b\nreturn x", ["x"]),
        ("x = a\nx += b\nreturn x", []),
        ("x = a\nif b:\n    return x\nreturn b", []),
        ("if b:\n    x = a\n    return a\nreturn b", ["x"]),
        ("x = a\nif b:\n    x = b\nreturn x", []),
        ("x = a\nif b:\n    x = b\nelse:\n    x = a\nreturn x", ["x"]),
        ("for y in xs:\n    print(x)\n    x = y", []),
        ("x = a\nfor y in xs:\n    z = y\nreturn x", ["z"]),
        ("while a:\n    x = b\n    if x:\n        break\n    a = x", []),
        ("x = a\ntry:\n    x = b\n    x = a()\nexcept OSError:\n    print(x)", []),
        ("try:\n    x = a()\nfinally:\n    print(b)", ["x"]),
        ("x = a\nwith b:\n    x = a\nreturn x", ["x"]),
        ("x = a\ndel x", []),
        ("x = a\nreturn locals()", []),
        ("x = a\ndef g():\n    return x\nreturn g", []),
        ("global x\nx = a", []),
        ("x = a\nraise ValueError(b)", ["x"]),
        ("x = [y for y in xs]", ["x"]),
        ("if (x := a):\n    return b", ["x"]),
    ],
)
def test_only_what_no_path_reads_is_dead(body: str, names: list[str]) -> None:
    assert dead(body) == names


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("x = 1\n    return x", {"x"}),
        ("if y:\n        x = 1\n    else:\n        x = 2\n    return x", {"x"}),
        ("if y:\n        x = 1\n    return x", set()),
        ("x += 1\n    return x", set()),
        ("for x in y:\n        print(x)\n    return x", set()),
        ("x = y\n    return lambda: x", set()),
        ("x = y\n    return locals()", set()),
        ("return y", set()),
    ],
)
def test_parameters_that_are_overwritten(body: str, names: set[str]) -> None:
    module = lowered(f"def f(x, y):\n    {body}\n")
    function = next(each for each in module.functions if each.name == "f")
    assert set(overwritten_parameters(function)) == names
