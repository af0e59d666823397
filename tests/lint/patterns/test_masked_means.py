"""Means over masked positions: values that are used many times, and names of masks."""

from __future__ import annotations

import pytest

from gotcha_lint.patterns.masked_means import masked_means
from gotcha_lint.patterns.unused_results import unused_results
from tests.lint.program.support import lowered


def masks(body: str) -> list[tuple[str, str, bool]]:
    """Of the means in a function that returns this: the operation, the mask, whether it is sure."""
    module = lowered(f"import jax.numpy as jnp\ndef f(x, m, batch, mask):\n    return {body}\n")
    found = masked_means(module.functions[0])
    return [(each.name, each.mask, each.certain) for each in found]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("jnp.mean(x * batch.loss_mask)", [("mean", "loss_mask", True)]),
        ("jnp.mean(x * batch['valid'])", [("mean", "valid", True)]),
        ("jnp.mean(x * (m != -100))", [("mean", "m != -100", True)]),
        ("jnp.mean(x * ~mask)", [("mean", "mask", True)]),
        ("jnp.median(jnp.where(mask, 0.0, x))", [("median", "mask", True)]),
        ("jnp.mean(jnp.square(x * (1 - batch.done)))", [("mean", "done", False)]),
        ("(jnp.mean(x * mask), jnp.mean(mask))", [("mean", "mask", False)]),
        ("jnp.mean(x * batch.num_masks)", []),
        ("jnp.mean(x * batch.mask_ratio)", []),
        ("jnp.mean(2.0 * mask)", []),
        ("jnp.mean(x * mask + m)", []),
        ("jnp.mean(jnp.where(mask, x, m))", []),
        ("jnp.max(x * mask)", []),
    ],
)
def test_what_a_mask_is(body: str, found: list[tuple[str, str, bool]]) -> None:
    assert masks(body) == found


def test_a_value_that_is_used_again_and_again() -> None:
    """Each line doubles the paths to the first value; each value is looked at once."""
    lines = "".join(f"    x = x * x + x\n    y{n} = x * x\n" for n in range(200))
    text = f"import jax.numpy as jnp\ndef f(x, mask):\n{lines}    return jnp.mean(x), y0\n"
    module = lowered(text)
    assert list(masked_means(module.functions[0])) == []
    assert list(unused_results(module, module.functions[0])) == []
