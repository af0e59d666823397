"""The flags that make compiling cheap are in effect: XLA reads them once, at the first array."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.cheap_compiles import ANYWHERE, CHEAP
from tests.conftest import JAX_WAS_IMPORTED
from tests.sanitizer.support import run


def test_the_flags_are_set_before_jax_starts():
    assert not JAX_WAS_IMPORTED
    assert CHEAP in os.environ["XLA_FLAGS"]


def test_another_python_is_given_what_all_releases_know(tmp_path: Path):
    """XLA ends a process that is given a flag it does not know."""
    (tmp_path / "prog.py").write_text("import os\nprint(os.environ['XLA_FLAGS'])\n")
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    other.chmod(0o755)
    own, others = (
        run(tmp_path / "prog.py", tmp_path / "run.jsonl", python=python, on=False).out.strip()
        for python in (sys.executable, str(other))
    )
    assert (own, others) == (os.environ["XLA_FLAGS"], ANYWHERE)
