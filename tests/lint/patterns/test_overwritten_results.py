"""Results of layers that the next turn of a loop overwrites."""

from __future__ import annotations

import pytest

from gotcha_lint.patterns.overwritten_results import overwritten_results
from tests.lint.program.support import lowered

HEAD = "import jax\nimport jax.numpy as jnp\nfrom flax import linen as nn\n"


def lost(loop: str, head: str = "@jax.jit\ndef f(layers, x, y, n):\n") -> list[tuple[str, str]]:
    """Of a function with this loop: the names that lose results, and what the layers are given."""
    body = "".join(f"    {line}\n" for line in loop.splitlines())
    module = lowered(f"{HEAD}{head}{body}    return h\n")
    found = overwritten_results(module, module.functions[0], lambda *_: False)
    return [(one.name, ", ".join(one.given)) for one in found]


@pytest.mark.parametrize(
    ("loop", "found"),
    [
        ("for layer in layers:\n    h = layer(x)", [("h", "x")]),
        ("for layer in layers:\n    h = jnp.tanh(layer(x)) + y", [("h", "x, y")]),
        ("for layer, scale in layers:\n    h = layer(x)\n    h = h * scale", [("h", "x")]),
        ("for _ in range(n):\n    h = nn.Dense(8)(x)", [("h", "x")]),
        ("for _ in range(1):\n    h = nn.Dense(8)(x)", []),
        ("for layer in [y]:\n    h = layer(x)", []),
        ("for layer in layers:\n    h = layer(h)", []),
        ("for layer in layers:\n    h = layer(x)\n    x = h", []),
        ("for layer in layers:\n    h = layer(x)\n    y.append(h)", []),
        ("for layer in layers:\n    h = layer(x)\n    y = y + h", []),
        ("for layer in layers:\n    if n:\n        h = layer(x)", []),
        ("for layer in layers:\n    h = y.apply(layer, x)", []),
        ("for i in range(n):\n    h = jnp.take(x, i)", []),
    ],
)
def test_what_a_loop_loses(loop: str, found: list[tuple[str, str]]) -> None:
    assert lost(loop) == found


def test_a_loop_of_the_host_may_warm_up() -> None:
    assert not lost("for layer in layers:\n    h = layer(x)", "def f(layers, x, y, n):\n")


def test_a_function_that_an_inner_one_reads_from() -> None:
    loop = "def later():\n    return h\nfor layer in layers:\n    h = layer(x)"
    head = "@jax.jit\ndef f(layers, x, y, n):\n"
    module = lowered(HEAD + head + "".join(f"    {line}\n" for line in loop.splitlines()))
    assert not [
        one
        for function in module.functions
        for one in overwritten_results(module, function, lambda *_: False)
    ]
