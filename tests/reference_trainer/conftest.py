"""Compiled programs are kept between runs, beside pytest's own cache."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import pytest

from reference_trainer import parallel
from tests.reference_trainer.support import PROGRAMS


@pytest.fixture(scope="session", autouse=True)
def kept_compiles() -> None:
    jax.config.update("jax_compilation_cache_dir", str(PROGRAMS))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)


@pytest.fixture(scope="module", autouse=True)
def set_mesh(kept_compiles) -> Iterator[None]:
    """As the command `train` does; left again, so that no other test is under it."""
    with jax.set_mesh(parallel.device_mesh()):
        yield
