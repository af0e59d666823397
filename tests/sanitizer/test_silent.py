"""Twenty training errors that raise nothing, of kinds that are known from practice.

TrainCheck (OSDI 2025) has collected such errors of PyTorch programs. These are the same kinds in
JAX: each file of `silent/` is a program of its own, with the cause that is to be named.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run import session
from gotcha_sanitizer.values.finding import Finding
from tests.sanitizer.support import run

pytest.importorskip("jax")
pytest.importorskip("optax")

FOLDER = Path(__file__).parent / "silent"
CASES = sorted(FOLDER.glob("s[0-9]*.py"))


def cause(path: Path) -> str:
    (found,) = re.findall(r"^# cause: (.*)$", path.read_text("utf-8"), re.M)
    return found


def watched(path: Path, tmp_path: Path) -> list[Finding]:
    """What is found in a program: in this process, or in one that has several devices."""
    if "# devices: 2" in path.read_text("utf-8"):
        flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
        done = run(path, tmp_path / "run.jsonl", options="training=1", env=flags)
        assert done.code == 0, done.err
        return list(done.run.findings.values())
    session.start().stop()
    watching = session.start(Options(quiet=True, training=True))
    try:
        exec(compile(path.read_text("utf-8"), str(path), "exec"), {"__name__": "__main__"})
    finally:
        watching.stop()
    assert "training" not in watching.run.degraded, watching.run.degraded
    return list(watching.run.findings.values())


def test_there_are_twenty():
    assert len(CASES) == 20


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_silent_error_is_seen(path: Path, tmp_path: Path):
    found = watched(path, tmp_path)
    silent = {f.cause: f for f in found if f.name == "silent-training-error"}
    assert cause(path) in silent, (sorted(silent), [f.name for f in found])
    others = {f.cause for f in silent.values() if f.severity != "info"} - {cause(path)}
    assert others <= ALSO.get(cause(path), set()), silent


# What is true as well, and follows from the same mistake.
ALSO: dict[str, set[str]] = {
    "never-moved": {"16-bit-weights"},
    "16-bit-weights": {"never-moved"},
    "all-masked": {"never-moved"},
}


def test_a_sound_loop_is_left_alone(tmp_path: Path):
    found: Any = watched(FOLDER / "sound.py", tmp_path)
    assert [f for f in found if f.name == "silent-training-error"] == []
