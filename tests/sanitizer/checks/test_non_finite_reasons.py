"""Why an operation made a NaN: from ranges made by hand, and from JAX's own operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gotcha_sanitizer.explain.non_finite import reason
from gotcha_sanitizer.hooks.jaxpr.ranges import Range


def of(low: float | None, high: float | None = None, infs: int = 0) -> Range:
    return Range("float32", (2,), low, low if high is None else high, 0, infs)


@pytest.mark.parametrize(
    ("kind", "primitive", "backward", "operands", "name"),
    [
        ("nan", "log", False, (of(-1, 1),), "log-of-negative-number"),
        ("inf", "log", False, (of(0, 1),), "log-of-zero"),
        ("nan", "log", False, (of(None, infs=2),), None),
        ("nan", "log1p", False, (of(-3, 1),), "log-of-negative-number"),
        ("nan", "sqrt", False, (of(-1e-9, 1),), "root-of-negative-number"),
        ("inf", "rsqrt", False, (of(0, 1),), "division-by-zero"),
        ("nan", "div", False, (of(0), of(0)), "zero-divided-by-zero"),
        ("inf", "div", False, (of(1), of(0, 2)), "division-by-zero"),
        ("inf", "div", True, (of(0.5), of(0, 1)), "infinite-derivative"),
        ("nan", "mul", True, (of(0, 1), of(0.5, infs=1)), "infinite-derivative"),
        ("nan", "mul", False, (of(0), of(None, infs=1)), "zero-times-infinity"),
        ("nan", "mul", False, (of(1), of(2)), None),
        ("nan", "sub", False, (of(None, infs=1), of(None, infs=1)), "infinity-minus-infinity"),
        ("inf", "exp", False, (of(0, 200),), "overflow"),
        ("inf", "exp", False, (of(0, infs=1),), None),
        ("nan", "acos", False, (of(0, 1.0001),), "outside-domain"),
        ("nan", "pow", False, (of(-2, 1), of(0.5)), "power-of-negative-number"),
        ("nan", "unknown", False, (of(-2, 1),), None),
        ("nan", "log", False, (), None),
    ],
)
def test_the_name(
    kind: str, primitive: str, backward: bool, operands: tuple[Range, ...], name: str | None
):
    found = reason(kind, primitive, backward, operands)
    assert (found.name if found else None) == name


def test_of_operations_that_jax_runs():
    jnp = pytest.importorskip("jax.numpy")
    jax = pytest.importorskip("jax")
    from gotcha_sanitizer.user.first_nan import first_nan

    def norm_gradient(x: Any) -> Any:
        return jax.grad(lambda x: jnp.sqrt((x * x).sum()))(x)

    cases: list[tuple[Callable[..., Any], Any, str]] = [
        (lambda x: jnp.log(x - 2.0), jnp.ones(2), "log-of-negative-number"),
        (lambda x: x / x, jnp.zeros(2), "zero-divided-by-zero"),
        (lambda x: jnp.exp(x) * 2, jnp.full(2, 200.0), "overflow"),
        (lambda x: jnp.exp(x) - jnp.exp(x + 1), jnp.full(2, 200.0), "infinity-minus-infinity"),
        (norm_gradient, jnp.zeros(2), "infinite-derivative"),
    ]
    for function, given, name in cases:
        found = first_nan(function, given)
        assert found is not None and found.reason is not None, found
        assert found.reason.name == name, found
