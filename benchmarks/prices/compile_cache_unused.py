"""The first call of a training step in a new run: the cache of the last run empty, or filled."""

from __future__ import annotations

import tempfile

import jax
from jax.experimental.compilation_cache import compilation_cache

from benchmarks.prices import Step, _small


def _first_call(least_seconds: float) -> Step:
    weights, batch, folder = _small.params(), _small.batch(), tempfile.mkdtemp()

    def step() -> object:
        jax.config.update("jax_compilation_cache_dir", folder)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", least_seconds)
        compilation_cache.reset_cache()
        jax.clear_caches()
        return jax.block_until_ready(jax.jit(_small.step)(weights, batch))

    return step


def bad() -> Step:
    # The default is 1 s; on a busy machine this step takes longer, and would be stored.
    return _first_call(60.0)


def good() -> Step:
    return _first_call(0.0)
