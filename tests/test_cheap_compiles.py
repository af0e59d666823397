"""The flags that make compiling cheap are in effect: XLA reads them once, at the first array."""

from __future__ import annotations

import os

from tests.cheap_compiles import CHEAP
from tests.conftest import JAX_WAS_IMPORTED


def test_the_flags_are_set_before_jax_starts():
    assert not JAX_WAS_IMPORTED
    assert CHEAP in os.environ["XLA_FLAGS"]
