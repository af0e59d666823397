"""Compiles that cost little: hardly optimised, and kept between runs beside pytest's own cache."""

from __future__ import annotations

import os

import jax
import pytest

from tests.reference_trainer.support import CHEAP, PROGRAMS


@pytest.fixture(scope="session", autouse=True)
def cheap_compiles() -> None:
    with pytest.MonkeyPatch.context() as patch:  # read once, when the first device is asked for
        patch.setenv("XLA_FLAGS", f"{os.environ.get('XLA_FLAGS', '')} {CHEAP}")
        jax.devices()
    jax.config.update("jax_compilation_cache_dir", str(PROGRAMS))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)
