"""Compiled programs are kept between runs of the tests, beside pytest's own cache."""

from __future__ import annotations

from pathlib import Path

import jax
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session", autouse=True)
def programs() -> None:
    jax.config.update("jax_compilation_cache_dir", str(ROOT / ".pytest_cache" / "programs"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)
