"""Where the result of a call is used seldom."""

from __future__ import annotations

import pytest

from gotcha_lint.patterns.rarer_uses import rarer_use
from gotcha_lint.program.data_flow import steps_of
from tests.lint.program.support import lowered


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("        x = fetch(i)\n        if i % 9 == 0:\n            print(x)\n", 4),
        ("        if i % 3 == 0:\n            x = fetch(i)\n        if i % 9 == 0:\n"
         "            print(x)\n", 5),
        ("        x = fetch(i)\n        y = 2 if i else x\n", 4),
        ("        x = fetch(i)\n        print(x)\n", None),
        ("        x = fetch(i)\n        if x > 3:\n            print(i)\n", None),
        ("        if i % 3 == 0:\n            x = fetch(i)\n            print(x)\n", None),
        ("        x = fetch(i)\n        if i % 9 == 0:\n            g(x)\n    return x\n", None),
        ("        x = fetch(i) + 1\n        if i % 9 == 0:\n            print(x)\n", None),
        ("        x = fetch(i)\n", None),
        ("        x = fetch(i)\n        if i % 9 == 0:\n            late(lambda: x)\n", None),
    ],
)  # fmt: skip
def test_the_test_around_all_uses(body: str, line: int | None) -> None:
    module = lowered(f"def f(n):\n    for i in range(n):\n{body}")
    function = next(f for f in module.functions if f.name == "f")
    calls = [i[-1] for i in steps_of(function) if i[0] == "call"]
    span = calls[1]  # of `fetch`
    found = rarer_use(function, span)
    assert (found[0] if found else None) == line
