"""`gotcha-sanitize diff` and `doctor`: what they print, and how they end."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gotcha_sanitizer import old_python
from gotcha_sanitizer.commands import doctor
from gotcha_sanitizer.hooks import self_tests
from gotcha_sanitizer.run.difference import compare
from gotcha_sanitizer.run.record import fold
from gotcha_sanitizer.values.words import listed
from tests.sanitizer import records
from tests.sanitizer.records import finding, program, start

Snapshot = Callable[[str, str], None]


# -- diff --------------------------------------------------------------------------------------


@pytest.fixture
def two(tmp_path: Path) -> tuple[str, str]:
    """B has two compiles more, at lines that moved, and a new finding; the old one is gone."""
    moved = {"defined": ["lib/train.py", 12], "path": "lib/train.py", "line": 44}
    eager = finding(name="eager-grad", cause="", causes=(), message="a gradient outside of jit")
    before = [start(), program(1, 10.0), eager]
    after = [start(jax="0.12.1"), *(program(n, 10.0 * n, **moved) for n in (1, 2, 3)), finding()]
    records.write(tmp_path / "a.jsonl", before)
    records.write(tmp_path / "b.jsonl", after)
    return "a.jsonl", "b.jsonl"


def test_diff_text(cli: Any, two: tuple[str, str], snapshot: Snapshot):
    code, out, _ = cli("diff", *two)
    assert code == 0
    assert out.startswith(
        "adds 2 compiles, compiling takes 19.0 s more, 1 new finding, 1 finding gone\n"
    )
    snapshot("diff.txt", out)


def test_diff_markdown(cli: Any, two: tuple[str, str], snapshot: Snapshot):
    snapshot("diff.md", cli("diff", *two, "--format", "markdown")[1])


def test_diff_json(cli: Any, two: tuple[str, str]):
    whole = json.loads(cli("diff", *two, "--format", "json")[1])
    assert (whole["compiles"], whole["seconds"]) == (2, 19.0)
    assert whole["settings"] == {"jax": ["0.12.0", "0.12.1"]}
    (function,) = whole["functions"]
    assert function["compiles"] == [1, 3] and function["causes"] == {"shape": 2}
    assert [f["name"] for f in whole["new"]] == ["recompile"]
    assert [f["name"] for f in whole["gone"]] == ["eager-grad"]


def test_diff_exit_codes(cli: Any, two: tuple[str, str]):
    a, b = two
    assert cli("diff", a, b, "--fail-on-more")[0] == 1
    assert cli("diff", b, a, "--fail-on-more")[0] == 0
    assert cli("diff", a, a, "--fail-on-more")[0] == 0
    assert cli("diff", a, "missing.jsonl")[0] == 2
    assert cli("diff", b, a)[1].startswith("saves 2 compiles, compiling takes 19.0 s less")


def test_diff_of_equal_records(cli: Any, two: tuple[str, str]):
    same = "nothing changed: {} and 1 finding in both runs\n"
    assert cli("diff", two[0], two[0])[1] == same.format("1 compile")
    assert cli("diff", two[1], two[1])[1] == same.format("3 compiles")
    assert json.loads(cli("diff", two[0], two[0], "--format", "json")[1])["functions"] == []


def test_diff_of_as_many_compiles_of_other_functions(cli: Any, tmp_path: Path):
    records.write(tmp_path / "a.jsonl", [start(), program(1, 1.0)])
    records.write(tmp_path / "b.jsonl", [start(), program(1, 1.0, function="other")])
    _, out, _ = cli("diff", "a.jsonl", "b.jsonl")
    assert out.startswith("as many compiles as before\n") and "other (" in out


def cached(*programs: tuple[str, bool | None], **given: Any) -> Any:
    events = [
        program(n, float(n), function=name, cached=hit, shapes=given.get("shapes", "x: f32[8]"))
        for n, (name, hit) in enumerate(programs)
    ]
    return fold([start(jax=given.get("jax", "0.12.0")), *events])


@pytest.mark.parametrize(
    ("after", "why"),
    [
        (cached(("f", False), ("g", True)), "the code, a constant or an option differs"),
        (cached(("f", False), ("g", True), shapes="x: f32[9]"), "other arguments: x: f32[8] -> x"),
        (cached(("f", False), ("g", False)), "another folder, or it was emptied"),
        (cached(("f", None), ("g", None)), "no persistent cache"),
        (cached(("f", False), ("g", True), jax="0.12.1"), "another JAX: 0.12.0 -> 0.12.1"),
    ],
)
def test_why_a_cached_program_was_compiled(after: Any, why: str):
    difference = compare(cached(("f", True), ("g", True)), after)
    lost = [text for change in difference.changes for text in change.lost_hits]
    assert lost and why in lost[0]
    assert difference.lost_hits == len(lost)


def test_no_hit_is_lost_where_there_was_none():
    assert compare(cached(("f", False)), cached(("f", False))).lost_hits == 0
    assert compare(cached(("f", True)), cached(("f", True))).lost_hits == 0


# -- doctor ------------------------------------------------------------------------------------


def test_doctor(cli: Any, monkeypatch: Any):
    monkeypatch.setattr(doctor, "starts", lambda: True)
    code, out, _ = cli("doctor")
    assert code == 0, out
    missing = f", except {listed([*old_python.BRIEF.values()])}: these need Python 3.12"
    assert out.endswith(f"\nit works here{missing if sys.version_info < (3, 12) else ''}\n")
    assert "frame cache_miss" not in out
    assert re.search(r"^ok     JAX's internals +\d+ names are there \(-v lists them\)$", out, re.M)
    assert "ok     frame cache_miss" in cli("doctor", "-v")[1]
    for feature, why in old_python.UNSEEN.items():  # to which the report sends its reader
        shown = f"off    {old_python.BRIEF[feature]}" in out and why in out
        assert shown == (sys.version_info < (3, 12))


def test_doctor_tells_what_is_lost(cli: Any, monkeypatch: Any):
    monkeypatch.setattr(doctor, "starts", lambda: False)
    monkeypatch.setattr(
        self_tests, "self_test", lambda jax, names: {"frame cache_miss": "no reasons for lowering"}
    )
    code, out, _ = cli("doctor")
    assert code == 1
    assert re.search(r"^WRONG  frame cache_miss +not there: no reasons for lowering$", out, re.M)
    assert re.search(r"^WRONG  start-up .*gotcha-sanitize run train.py", out, re.M)
    assert re.search(r"^2 of \d+ need attention$", out, re.M)


def test_doctor_tells_what_is_lost_inside_of_programs(cli: Any, monkeypatch: Any):
    jax: Any = pytest.importorskip("jax")
    monkeypatch.setattr(doctor, "starts", lambda: True)
    monkeypatch.delattr(jax._src.api, "_vjp3_bwd")
    monkeypatch.delattr(jax._src.core.Primitive, "get_bind_params")
    code, out, _ = cli("doctor", "--verbose")
    assert code == 1 and re.search(r"^2 of \d+ need attention$", out, re.M)
    assert "WRONG  frames instantiate_zeros, _vjp3_bwd" in out
    assert "WRONG  Primitive.get_bind_params" in out
    assert "ok     equation source_info" in out


def test_doctor_without_jax(cli: Any, monkeypatch: Any):
    monkeypatch.setattr(doctor, "starts", lambda: True)
    monkeypatch.setitem(sys.modules, "jax", None)
    code, out, _ = cli("doctor")
    assert code == 0, out
    assert re.search(r"^off +jax +not installed here$", out, re.M)
    assert out.endswith(
        "JAX is not installed here: install the sanitizer where your program runs\n"
    )


def test_doctor_with_a_jax_that_is_broken(cli: Any, monkeypatch: Any, tmp_path: Path):
    (tmp_path / "jax.py").write_text("import jaxlib_that_is_not_there")
    monkeypatch.setattr(doctor, "starts", lambda: True)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "jax", raising=False)
    code, out, _ = cli("doctor")
    assert code == 1
    assert re.search(
        r"^WRONG +jax +cannot be imported: ModuleNotFoundError: .*jaxlib_that", out, re.M
    )
    assert out.endswith(" needs attention\n")


def test_doctor_on_a_narrow_screen(cli: Any, monkeypatch: Any):
    monkeypatch.setattr(doctor, "starts", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    lines = [doctor.Line("jax", "ok", "0.10.2"), doctor.Line("calls", "off", "word " * 30)]
    head, first, *rest, last = doctor.rendered(lines, 60).splitlines()
    assert head.startswith("ok     jax") and first.startswith("off    calls  word")
    assert rest and all(line.startswith(" " * 14 + "word") for line in rest)
    assert max(map(len, (head, first, *rest, last))) <= 60
    _, out, _ = cli("doctor")
    assert len(max(out.splitlines(), key=len)) < 120 and "\n              " in out


def test_doctor_layout(snapshot: Snapshot):
    lines = [
        doctor.Line("gotcha", "ok", "0.2.0"),
        doctor.Line("sys.monitoring", "off", "Python 3.12 and later"),
        doctor.Line("frame cache_miss", "wrong", "not there: no reasons"),
    ]
    snapshot("doctor.txt", doctor.rendered(lines))
