"""The engine runs what wrappers and decorators of libraries call."""

from __future__ import annotations

import pytest

from tests.lint.support import found, lint_files

HEAD = """\
import chex
import flax.linen as nn
import jax
import jax.numpy as jnp


def last(x):
    return x[3]


"""
WRAPPED = [
    "jax.named_call(last)",
    "jax.named_scope('last')(last)",
    "jax.checkpoint(last)",
    "nn.remat(last)",
    "jax.custom_batching.custom_vmap(last)",
    "chex.chexify(last)",
    "chex.assert_max_traces(last, n=1)",
    "chex.assert_max_traces(n=1)(last)",
]


@pytest.mark.parametrize("wrapped", WRAPPED)
def test_what_is_wrapped_is_run_with_its_arguments(wrapped, tmp_path):
    text = f"{HEAD}wrapped = {wrapped}\nend = jax.jit(wrapped)(jnp.ones(3))\n"
    findings = lint_files(tmp_path, {"a.py": text}, ("out-of-bounds-index",))
    assert found(findings) == [(8, "out-of-bounds-index")]


def test_a_scope_is_still_a_context(tmp_path):
    text = f"{HEAD}with jax.named_scope('last'):\n    end = jax.jit(last)(jnp.ones(3))\n"
    findings = lint_files(tmp_path, {"a.py": text}, ("out-of-bounds-index",))
    assert found(findings) == [(8, "out-of-bounds-index")]
