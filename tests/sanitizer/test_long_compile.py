"""Why a compile takes long: equations by line, Python loops that are unrolled, constants."""

from __future__ import annotations

from pathlib import Path

import pytest

from gotcha_sanitizer.explain.long_compile import reasons
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.reporters import text
from gotcha_sanitizer.run.record import fold
from gotcha_sanitizer.run.session import Session
from tests.sanitizer import records
from tests.sanitizer.inside import lost, mine
from tests.sanitizer.test_schema import problems, schema

LOOP = """
def loss(x, layers):
    for w in layers:
        x = x @ w
    return x.sum()
"""


def program(path: Path, count: int, line: int = 4, **given: object) -> records.Json:
    equations = {"count": 1000, "lines": [[str(path), line, count], [str(path), 5, 20]]}
    return records.program(1, 60.0, equations=equations, **given)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(LOOP)
    return tmp_path / "train.py"


def test_a_loop_that_is_unrolled(source: Path):
    slow = {"compile": 41.0}
    told = reasons(program(source, 900, seconds=slow))
    assert told.startswith("`step` took 41.0 s to compile: 1,000 equations; 90% of them from ")
    assert "train.py:4, in the Python loop of line 3, which is unrolled: `lax.scan`" in told
    assert ":5" not in told
    assert "lax.scan" not in reasons(program(source, 900, line=5, seconds=slow))
    assert problems(schema("run.json"), program(source, 900)) == []


def test_what_is_fast_or_unknown_has_no_line(source: Path):
    assert reasons(program(source, 900, seconds={"compile": 9.0})) == ""
    assert reasons(records.program(1, 60.0, seconds={"compile": 90.0})) == ""


def test_constants_and_the_report(source: Path):
    constants = {"bytes": 2**22, "largest": [{"variable": "W", "bytes": 2**22}]}
    slow = program(source, 900, seconds={"compile": 41.0}, constants=constants)
    shown = " ".join(text.render(fold(records.ended([records.start(), slow])), Options()).split())
    assert "`step` took 41.0 s to compile: 1,000 equations" in shown
    assert "4 MiB of constants (`W`), which XLA may fold" in shown


def test_a_real_program(running: Session):
    jax = pytest.importorskip("jax")

    @jax.jit
    def step(x):
        for _ in range(600):
            x = x * 1.01 + 0.5
        return x.sum()

    step(1.0)
    jax.jit(lambda x: x + 1)(1.0)
    first, small = mine(running)
    assert first["equations"]["count"] >= 1200
    ((path, line, count), *_) = first["equations"]["lines"]
    assert Path(path) == Path(__file__) and 1000 <= count <= 1300
    assert Path(path).read_text().splitlines()[line - 1].strip() == "x = x * 1.01 + 0.5"
    assert "equations" not in small
    assert not lost(running)
