"""Which parameters of a function an optimizer updates."""

from __future__ import annotations

import pytest

from gotcha_lint.patterns.training.trained import trained_parameters
from tests.lint.program.support import lowered


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("return state.apply_gradients(grads=grads)", {"state"}),
        ("return state.replace(step=1).apply_gradients(grads=grads), grads", {"state"}),
        (
            "u, new = tx.update(grads, opt.inner, state)\n"
            "    return optax.apply_updates(state, u), new",
            {"state", "opt"},
        ),
        ("model = eqx.apply_updates(state, grads)\n    return model", {"state"}),
        ("cache = opt.update(grads, state)\n    return cache", set()),
        ("return local.apply_gradients(grads)", set()),
    ],
)
def test_what_is_trained(body: str, found: set[str]) -> None:
    module = lowered(f"def step(state, opt, grads):\n    {body}\n")
    assert trained_parameters(module.functions[0]) == found
