"""Who holds the arrays that become more, also when the script has ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """\
import atexit
from collections import OrderedDict, deque

import jax.numpy as jnp
from gotcha_sanitizer.hooks.holders import holder


class Log:
    def __init__(self):
        self.kept = []


class Replay(deque):
    def __init__(self, most):
        super().__init__(maxlen=most)

    def __len__(self):
        raise RuntimeError("the user's code runs")

    __iter__ = __getitem__ = __len__


def look():
    print(holder(((3,), "float32"), at_least=40))


history, log, replay, cache = [], Log(), Replay(90), OrderedDict()
{line}
{when}
"""


@pytest.mark.parametrize("when", ["look()", "atexit.register(look)"], ids=["at once", "at exit"])
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("history += [jnp.ones(3) for _ in range(50)]", "list `history`"),
        ("log.kept.extend(jnp.ones(3) for _ in range(50))", "list `log.kept`"),
        ("replay.extend(jnp.ones(3) for _ in range(50))", "Replay of at most 90 `replay`"),
        ("cache.update((n, jnp.ones(3)) for n in range(50))", "OrderedDict `cache`"),
        (
            "exec('made = [type(str(), (), {})() for _ in range(50)]', nameless := {}); "
            "made = nameless['made']; late = Log(); late.kept += [jnp.ones(3) for _ in range(50)]",
            "list `late.kept`",
        ),
    ],
    ids=[
        "variable",
        "attribute",
        "deque of a class of its own",
        "dictionary of a library's",
        "beside objects whose class has no module, as some of C code",
    ],
)
def test_the_holder_is_found(tmp_path: Path, line: str, said: str, when: str) -> None:
    """At exit Python has taken the `__file__` of the script away."""
    path = tmp_path / "train.py"
    path.write_text(PROGRAM.format(line=line, when=when), "utf-8")
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert f"{said} in " in done.stdout
    assert "line=28" in done.stdout


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "for kept in (losses := [], norms := [], rates := []): "
            "kept.extend(jnp.ones(3) for _ in range(15))",
            "lists `losses`, `norms` and `rates` in ",
        ),
        (
            "for kept in (seen := deque(maxlen=99), done := deque(maxlen=99)): "
            "kept.extend(jnp.ones(3) for _ in range(22))",
            "deques of at most 99 `seen` and `done` in ",
        ),
        (
            "losses += [jnp.ones(3) for _ in range(15)]; alias = losses; "
            "norms += [jnp.ones(3) for _ in range(15)]",
            "None",
        ),
    ],
    ids=["lists", "bounded ones", "too few, and one of them has two names"],
)
def test_several_containers_that_hold_an_equal_share(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "train.py"
    made = line if "for " in line[:4] else f"losses, norms = [], []; {line}"
    path.write_text(PROGRAM.format(line=made, when="look()"), "utf-8")
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert said in done.stdout
