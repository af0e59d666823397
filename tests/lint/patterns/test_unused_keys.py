"""Which keys of a split nothing reads."""

from __future__ import annotations

import pytest

from gotcha_lint.patterns.unused_keys import unused_keys
from tests.lint.program.support import lowered


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("key, sub = split(key)\n    return uniform(key)", [(("sub",), False)]),
        ("a, b, c = split(key, 3)\n    return uniform(a)", [(("b", "c"), False)]),
        ("a, b = split(key)\n    return uniform(other)", [(("a", "b"), True)]),
        ("key, sub = split(key)\n    return uniform(sub)", []),
        ("key, _ = split(key)\n    return uniform(key)", []),
        ("key, _unused = split(key)\n    return uniform(key)", []),
        ("for _ in range(3):\n        key, sub = split(key)\n        uniform(sub)", []),
        ("for _ in range(3):\n        key, sub = split(key)", [(("sub",), False)]),
        ("key, sub = split(key)\n    return lambda: uniform(sub)", []),
        ("a, b = text.split(',')\n    return a", []),
    ],
)
def test_what_is_unused(body: str, found: list[tuple[tuple[str, ...], bool]]) -> None:
    head = "from jax.random import split, uniform\ndef f(key, other, text):\n    "
    module = lowered(f"{head}{body}\n")
    function = next(f for f in module.functions if f.name == "f")
    assert [(each.names, each.all_of_them) for each in unused_keys(module, function)] == found
