"""Which arguments of a call its result takes the place of."""

from __future__ import annotations

import pytest

from gotcha_lint.program.parse import parse
from gotcha_lint.program.rebinding import rebindings


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("state = step(state, x)", [(0, "state")]),
        ("(state, opt), loss = step(x, state, opt)", [(1, "state"), (2, "opt")]),
        ("state = step(x, state=state)[0]", [("state", "state")]),
        ("self.state, loss = self.step(self.state, x)", [(0, "self.state")]),
        ("self.state = step(*self.state)", [(None, "self.state")]),
        ("new = step(state, x)", []),
        ("other.state = step(self.state)", []),
        ("state = step(x) + state", []),
    ],
)
def test_arguments_that_the_result_replaces(line: str, wanted: list[object]) -> None:
    text = f"def f(self, other, state, opt, x):\n    for _ in x:\n        {line}\n"
    module = parse("a.py", "a", text)
    (function,) = (f for f in module.functions if not f.is_module)
    found = list(rebindings(function).values())
    assert [list(arguments) for arguments in found] == ([wanted] if wanted else [])
