"""The measurements run in their smallest form and say what is exact; how fast is never judged."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Iterator

import pytest

from benchmarks.trainer import clock, process, report, supervise
from benchmarks.trainer.__main__ import main
from benchmarks.trainer.families import families, words
from benchmarks.trainer.row import ORDERS, Row, Size, unmeasured
from benchmarks.trainer.supervise import Measured
from reference_trainer.config import ConfigError

FAMILIES = families()
SHORT = {  # of a few seconds
    "alignment", "checkpoints", "compiles", "inference", "loss", "packing", "prefetch", "ssm_forms",
}  # fmt: skip
EXACT = {  # their targets hold on any machine, in any size
    "accumulation": 1,
    "compiles": 4,
    "devices": 4,
    "packing": 1,
    "resume": 2,
    "rivals": 1,
    "ssm_forms": 1,
}
CASES = [
    pytest.param(
        name, platform, id=f"{name}-{platform}", marks=[] if name in SHORT else pytest.mark.slow
    )
    for name, family in FAMILIES.items()
    for platform in family.SECONDS
    if not (name in SHORT and platform == "gpu")  # the same, but for the sizes
]


@pytest.mark.parametrize(("name", "platform"), CASES)
def test_a_family_in_its_smallest_form(monkeypatch, name, platform):
    """Those for a GPU too: they run anywhere, so that they are known to work; there with nothing
    but JAX, Flax, Optax, Orbax and NumPy.
    """
    if platform == "gpu":
        for package in ("grain", "matplotlib", "music21", "tensorboardX", "torch"):
            monkeypatch.setitem(sys.modules, package, None)
    rows = list(FAMILIES[name].measure(Size(platform, quick=True)))
    assert rows
    assert len({row.name for row in rows}) == len(rows)
    for row in rows:
        assert row.value is None or math.isfinite(row.value)
        assert row.value is not None or row.note, "what is not measured has a reason"
        assert not row.target or row.target.split()[0] in ORDERS
    judged = [row for row in rows if row.target]
    assert [row for row in judged if not row.met] == []
    if platform == "cpu":
        assert len(judged) == EXACT.get(name, 0)


def test_every_family_says_what_it_is():
    for name, family in FAMILIES.items():
        assert words(family).endswith("."), name
        assert family.SECONDS.keys() <= {"cpu", "gpu"}
        assert sum(family.SECONDS.values()) > 0


def test_all_of_the_gpu_fits_the_time_of_the_largest():
    """What is cut off at the end are the small ones; the large ones must be in."""
    seconds = supervise.chosen([], "gpu")
    assert list(seconds.values()) == sorted(seconds.values(), reverse=True)
    large = sum(seconds[name] for name in ("gpt2", "one_billion", "torch_step", "mamba"))
    assert large < 60 * supervise.MINUTES["gpu"]


@pytest.mark.parametrize(
    ("value", "target", "met"),
    [
        (0.5, "<= 0.5", True),
        (0.6, "<= 0.5", False),
        (8.0, ">= 8", True),
        (1.0, "== 2", False),
        (1.0, "", None),
        (None, "<= 1", None),
        (math.nan, "<= 1", None),
    ],
)
def test_a_target_is_met_or_not_or_there_is_none(value, target, met):
    assert Row("x", value, target=target).met is met


@pytest.mark.parametrize(
    ("value", "shown"),
    [(3.0, "3"), (1234.5, "1,234"), (0.5123, "0.512"), (2.4e-7, "2.4e-07"), (None, "not measured")],
)
def test_numbers_have_three_digits(value, shown):
    assert report.number(Row("x", value)).strip() == shown


def test_the_clock_takes_the_best_of_rounds_in_turns():
    times, calls = iter(range(100)), []
    best = clock.best(
        {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")},
        rounds=2,
        clock=lambda: float(next(times)),
    )
    assert best == {"a": 1.0, "b": 1.0}
    assert calls == ["a", "b"] * 3, "once before, not counted"


class Failing:
    """Does not fit into memory."""

    SECONDS = {"cpu": 1}

    def measure(self, size: Size) -> Iterator[Row]:
        yield Row("first", 1.0)
        raise RuntimeError("RESOURCE_EXHAUSTED: out of memory\nmore")


def test_a_failure_is_a_row_with_its_reason(monkeypatch, capsys):
    from benchmarks.trainer import child

    monkeypatch.setattr(child, "families", lambda: {"failing": Failing()})
    assert child.main("auto", "failing", "quick") == 0
    rows = [Row(**json.loads(line)) for line in capsys.readouterr().out.splitlines()]
    reason = "RuntimeError: RESOURCE_EXHAUSTED: out of memory"
    assert rows == [Row("first", 1.0), Row("failing", None, note=reason)]
    assert unmeasured("x", ValueError()).note == "ValueError: "


def test_a_family_that_takes_too_long_is_ended_and_its_rows_are_kept(monkeypatch):
    monkeypatch.setattr(process, "command", lambda *_: ["sh", "-c", SLOW])
    start = time.monotonic()
    measured = supervise.one("slow", "cpu", False, 1.0)
    assert time.monotonic() - start < 20
    assert measured.rows == (Row("first", 1.0), Row("slow", None, note="ended after 1 s"))


SLOW = """echo '{"name": "first", "value": 1.0}'; sleep 60 & wait"""


def test_a_family_that_crashes_is_a_row(monkeypatch):
    monkeypatch.setattr(process, "command", lambda *_: ["sh", "-c", "echo why >&2; exit 3"])
    measured = supervise.one("broken", "cpu", False, 30.0)
    assert measured.rows == (Row("broken", None, note="exit code 3: why"),)


def test_what_comes_after_the_end_is_not_started(monkeypatch):
    monkeypatch.setattr(supervise, "one", lambda *_: pytest.fail("was started"))
    found = supervise.run({"loss": 10}, "cpu", True, 0.0, lambda measured: None)
    assert found == [Measured("loss", found[0].rows, 0.0)]
    assert found[0].rows[0].value is None
    assert "no time" in found[0].rows[0].note


def test_the_command_prints_a_table_and_writes_json(tmp_path, capsys):
    path = tmp_path / "new" / "bench.json"
    assert main(["loss", "--quick", "--platform", "cpu", "--json", str(path)]) == 0
    content = json.loads(path.read_text())
    assert content.keys() >= {"date", "device", "python", "versions", "rows", "seconds"}
    (row,) = content["rows"]
    assert row["family"] == "loss"
    assert 0 < row["value"] < 1
    assert content["seconds"]["loss"] > 0
    assert content["not_measured"] == supervise.elsewhere("cpu") != []
    assert "temporary memory" in capsys.readouterr().out


@pytest.mark.parametrize(("minutes", "limit"), [("90", 240), ("5", 120), ("", 120)])
def test_more_minutes_are_more_for_each_family(monkeypatch, minutes, limit):
    given = []
    monkeypatch.setattr(
        supervise, "about", lambda _: {"platform": "cpu", "devices": 1, "device": ""}
    )
    monkeypatch.setattr(supervise, "run", lambda seconds, *_: given.append(seconds) or [])
    assert main(["loss", *(["--minutes", minutes] if minutes else [])]) == 0
    assert given == [{"loss": limit}]


def test_a_time_is_until_the_result_is_there():
    class Result:
        ready = False

        def block_until_ready(self):
            self.ready = True
            return self

    result, seen = Result(), []

    def now() -> float:
        seen.append(result.ready)
        return float(len(seen))

    assert clock.once(lambda: result, now) == 1.0
    assert seen == [False, True]


def test_the_command_lists_and_refuses(capsys):
    assert main(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(FAMILIES)
    with pytest.raises(ConfigError, match="no measurement 'los'; there are: accumulation"):
        supervise.chosen(["los"], "cpu")
    with pytest.raises(ConfigError, match="gpt2 is not measured on a cpu"):
        supervise.chosen(["gpt2"], "cpu")
    assert main(["los", "--platform", "cpu"]) == 2
    assert "no measurement" in capsys.readouterr().err
