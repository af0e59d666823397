"""Who holds the arrays that become more, also when the script has ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """\
import atexit

import jax.numpy as jnp
from gotcha_sanitizer.hooks.holders import holder


class Log:
    def __init__(self):
        self.kept = []


def look():
    print(holder(((3,), "float32"), at_least=40))


history, log = [], Log()
{line}
{when}
"""


@pytest.mark.parametrize("when", ["look()", "atexit.register(look)"], ids=["at once", "at exit"])
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("history += [jnp.ones(3) for _ in range(50)]", "list `history`"),
        ("log.kept.extend(jnp.ones(3) for _ in range(50))", "list `log.kept`"),
    ],
    ids=["variable", "attribute"],
)
def test_the_holder_is_found(tmp_path: Path, line: str, said: str, when: str) -> None:
    """At exit Python has taken the `__file__` of the script away."""
    path = tmp_path / "train.py"
    path.write_text(PROGRAM.format(line=line, when=when), "utf-8")
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert f"{said} in " in done.stdout
    assert "line=17" in done.stdout
