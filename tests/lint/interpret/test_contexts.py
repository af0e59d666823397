"""The table of context managers, beside what JAX says: a call alone changes nothing."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from gotcha_lint.facts.contexts import CONTEXTS, OPTIONS

jax = pytest.importorskip("jax")
GIVEN: dict[str, tuple[Any, ...]] = {
    "jax.default_device": (None,),
    "jax.default_matmul_precision": ("highest",),
    "jax.default_prng_impl": ("rbg",),
    "jax.legacy_prng_key": ("error",),
    "jax.numpy_dtype_promotion": ("strict",),
    "jax.numpy_rank_promotion": ("raise",),
    "jax.checking_leaks": (),
}


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_a_call_alone_changes_nothing(name: str) -> None:
    option = OPTIONS[name]
    assert name in CONTEXTS
    before = getattr(jax.config, option)
    function = getattr(jax, name.removeprefix("jax."))
    given = ("disallow",) if "transfer_guard" in name else GIVEN.get(name, (True,))
    context = function(*given)
    assert getattr(jax.config, option) == before
    assert hasattr(context, "__enter__")


@pytest.mark.parametrize("name", sorted(CONTEXTS))
def test_it_exists(name: str) -> None:
    module, _, word = name.rpartition(".")
    assert callable(getattr(importlib.import_module(module), word))
