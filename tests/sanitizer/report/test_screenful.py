"""The report at the end: a screenful, with the call sites, whatever a run has found."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gotcha_sanitizer.commands.report import rendered
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.reporters import html, text
from gotcha_sanitizer.reporters import json as as_json
from gotcha_sanitizer.run.merge import merge
from gotcha_sanitizer.run.record import Run, fold
from gotcha_sanitizer.values.parts import Site
from tests.sanitizer.records import ended, finding, program, start

SCREEN = Options().max_lines


def many(findings: int, degraded: int = 2) -> Run:
    """A run with many of everything that a report shows; the first findings cost most."""
    called = [program(n, n, line=41 + n % 5, function=f"step{n % 12}") for n in range(1, 60)]
    for event in called:
        event["defined"] = ["src/train.py", 100 + int(event["function"][4:])]
    found = [
        finding(site=Site("src/train.py", 500 + n), seconds=100.0 - n, message="why " * 40)
        for n in range(findings)
    ]
    notes = [finding(site=Site("src/a.py", n + 1), severity="info") for n in range(9)]
    lost = [
        {"event": "degraded", "feature": f"hook {n}", "why": "no such name"}
        for n in range(degraded)
    ]
    return fold(ended([start(), *called, *found, *notes, *lost]))


def lines(run: Run, max_lines: int = SCREEN) -> list[str]:
    return text.render(run, Options(max_lines=max_lines)).splitlines()


@pytest.mark.parametrize("count", [0, 1, 3, 5, 13, 40, 400])
def test_whatever_is_found_fits_on_a_screen(count):
    shown = lines(many(count))
    assert len(shown) <= SCREEN
    assert shown[0].startswith(f"==7==gotcha: {count or 'no'} finding")
    assert sum("degraded:" in line for line in shown) == 2


def test_the_dearest_are_told_whole_and_the_others_in_brief():
    shown = lines(many(6))
    whole = [line for line in shown if line.startswith("      fix: pad to a few")]
    assert 1 < len(whole) < 6
    assert sum(line.startswith("      more: gotcha-lint --explain") for line in shown) == 1
    places = [line.split(" at ")[1] for line in shown if line.startswith("  recompile (shape) at ")]
    assert places == [
        f"src/train.py:{500 + n}, {100 - n} s lost".replace("100 s", "1 min 40 s")
        if n == 0
        else f"src/train.py:{500 + n}, {100.0 - n:.1f} s lost"
        for n in range(6)
    ]
    brief = [line for line in shown if line.startswith("      why ") and line.endswith(" ...")]
    assert len(brief) == 6 - len(whole)


def test_a_file_that_was_edited_since_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_text("x = 1\n")
    told = "  note: src/train.py was changed after the run began: lines may not match"
    run = many(2)
    assert told in lines(run)
    run.start["time"] = os.path.getmtime(tmp_path / "src" / "train.py")
    assert told not in lines(run)


def test_errors_come_before_what_only_costs():
    run = many(3)
    last = run.problems[-1]
    run.findings[last.id] = replace(last, severity="error", seconds=0.0)
    assert run.problems[0].id == last.id


def test_the_hint_names_the_option_of_the_command_that_shows_it(tmp_path: Path):
    run = many(40)
    shown = rendered("text", run, [(tmp_path / "run.jsonl", run)], colour=False)
    (told,) = [line for line in shown.splitlines() if "all of it" in line]
    assert re.search(r"; all of it: --max-lines \d+$", told)


def test_what_is_left_out_is_counted_and_how_to_see_it_told():
    run = many(40)
    (told,) = [line for line in lines(run) if "max_lines=" in line]
    shown = sum(" lost" in line and " at " in line for line in lines(run))
    assert told.startswith(
        f"  and {40 - shown} more findings; all of it: GOTCHA_OPTIONS=max_lines="
    )
    wanted = int(told.rpartition("=")[2])
    whole = lines(run, max_lines=wanted)
    assert len(whole) == wanted
    assert not [line for line in whole if "max_lines" in line]
    assert [line for line in lines(run, max_lines=wanted - 1) if "max_lines" in line]


@given(st.integers(0, 60), st.integers(20, 300))
def test_no_report_is_longer_than_asked_for_but_by_its_first_finding(findings, most):
    shown = lines(many(findings), max_lines=most)
    fixed = len(lines(many(min(findings, 1)), max_lines=20))
    assert len(shown) <= max(most, fixed + 2)
    if findings:
        assert "src/train.py:500" in "\n".join(shown)


def test_colours_change_no_line():
    run = many(13)
    plain = text.render(run)
    coloured = text.render(run, colour=True)
    assert "\x1b[" in coloured and "\x1b[" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


# -- call sites ------------------------------------------------------------------------------------


def called_twice() -> Run:
    """`step` is called at line 41, where it compiles twice, and at line 77."""
    return fold(ended([start(), program(1, 1), program(2, 2), program(3, 3, line=77, causes=[])]))


def test_a_function_that_is_called_at_several_lines_has_its_seconds_by_line():
    shown = text.render(called_twice())
    rows = [line.split() for line in shown.splitlines() if "src/train.py" in line]
    assert [" ".join(row) for row in rows] == [
        "step (src/train.py:10) 3 3.0 s 1.5 s 24.0 s shape",
        "called at src/train.py:41 2 2.0 s 1.0 s 16.0 s shape",
        "called at src/train.py:77 1 1.0 s 500 ms 8.0 s",
    ]


def test_so_have_the_other_formats():
    (function,) = json.loads(as_json.render(called_twice()))["functions"]
    assert [(c["line"], c["programs"], c["seconds"]["compile"]) for c in function["calls"]] == [
        (41, 2, 16.0),
        (77, 1, 8.0),
    ]
    page = html.render(called_twice())
    assert "called at 2 lines" in page and "src/train.py:77: 1 program" in page


def test_processes_add_up_line_by_line():
    one, other = called_twice(), called_twice()
    (row,) = merge([one, other]).rows.values()
    assert [(site.line, sums.programs) for site, sums in row.callers] == [(41, 4), (77, 2)]
    (alone,) = one.rows.values()
    assert [sums.programs for _, sums in alone.callers] == [2, 1]


# -- the table -------------------------------------------------------------------------------------


def table(*events: dict) -> list[str]:
    shown = text.render(fold(ended([start(), *events]))).splitlines()
    first = next(n for n, line in enumerate(shown) if line.startswith("  compiled"))
    return [line for line in shown[first + 1 :] if "degraded:" not in line]


def test_a_long_name_is_cut_in_the_middle_never_at_the_line():
    """`(a_long_file.py:1` looked like line 1 and was line 17."""
    path = "src/training/a_file_with_a_very_long_name_indeed.py"
    function = "Trainer.gradients_of_the_whole_loss"
    shown = table(
        program(1, 1, function=function, defined=[path, 1234], path=path, line=2345),
        program(2, 2, function=function, defined=[path, 1234], path=path, line=3456, causes=[]),
    )
    assert [re.split(r"\s{2,}", line.strip())[0] for line in shown] == [
        "Trainer.gradients_of_t... (..._long_name_indeed.py:1234)",
        "called at ...file_with_a_very_long_name_indeed.py:2345",
        "called at ...file_with_a_very_long_name_indeed.py:3456",
    ]
    assert len({line.index(" s") for line in shown}) == 1


@pytest.mark.parametrize("columns", [60, 72, 80, 100, 120])
def test_a_terminal_gets_lines_that_fit(columns: int):
    slow = {"seconds": {"trace": 3.0, "lower": 1.0, "compile": 192.0}}
    run = fold(ended([start(), *(program(n, 200.0 * n, **slow) for n in (1, 2, 3)), finding()]))
    shown = text.render(run, columns=columns).splitlines()
    assert max(map(len, shown[1:])) <= columns
    (head,) = (line for line in shown if line.startswith("  compiled"))
    (row,) = (line for line in shown if line.startswith("  step (src/train.py:10)"))
    names = ["trace", "lower", "compile"] if columns > 60 else ["seconds"]
    assert head.split() == ["compiled", "times", *names, "why"]
    assert row.index("shape") == head.index("why")
    in_a_pipe = text.render(run).splitlines()
    assert any("compile  why" in line for line in in_a_pipe)


def test_a_path_is_spelled_in_one_way_in_the_whole_table():
    """`train.py` of the folder `runtime` stood as `.../cases/runtime/` and as `...untime/`."""
    path, other = ".../cases/runtime/weak_loop_carry.py", "train.py"
    operation = {"owner": "jax", "eager": "op", "causes": [], "why": []}
    shown = table(
        program(1, 1, function="step", defined=[path, 6], path=path, line=17),
        program(2, 2, function="step", defined=[path, 6], path=other, line=3, causes=[]),
        *(program(n, n, function=f"op{n}", path=path, line=15, **operation) for n in (3, 4)),
    )
    assert [re.split(r"\s{2,}", line.strip())[0] for line in shown] == [
        "step (.../weak_loop_carry.py:6)",
        "called at .../weak_loop_carry.py:17",
        "called at train.py:3",
        "2 operations outside of jit (.../weak_loop_carry.py:15)",
    ]


def test_operations_outside_of_jit_are_summed_by_line():
    """`model.init(...)` runs dozens of operations: each is cheap, the line may cost most."""
    cheap = {"trace": 0.01, "lower": 0.02, "compile": 0.1}
    operation = {"owner": "jax", "eager": "op", "causes": [], "why": [], "seconds": cheap}
    shown = table(
        program(1, 1),
        *(program(n, n, function=f"op{n}", line=77, **operation) for n in range(2, 12)),
        program(12, 12, function="add", line=80, **operation),
        program(13, 13, function="sub", line=81, **operation),
    )
    assert [re.split(r"\s{2,}", line.strip()) for line in shown] == [
        ["step (src/train.py:10)", "1", "1.0 s", "500 ms", "8.0 s"],
        ["10 operations outside of jit (src/train.py:77)", "10", "100 ms", "200 ms", "1.0 s"],
        ["add outside of jit (src/train.py:80)", "1", "10 ms", "20 ms", "100 ms"],
        ["sub outside of jit (src/train.py:81)", "1", "10 ms", "20 ms", "100 ms"],
    ]


def test_the_rows_are_the_dearest_whatever_they_are():
    """Eight jitted trifles stood above the one line that took nearly all of the time."""
    trifle = {"causes": [], "why": [], "seconds": {"trace": 0.001, "compile": 0.01}}
    dear = {"owner": "jax", "eager": "op", "causes": [], "why": [], "seconds": {"compile": 4.0}}
    shown = table(
        *(
            program(n, n, function=f"small{n}", defined=["src/small.py", n], line=100 + n, **trifle)
            for n in range(1, 10)
        ),
        *(program(n, n, function=f"op{n}", line=77, **dear) for n in range(10, 13)),
    )
    assert [re.split(r"\s{2,}", line.strip())[0] for line in shown] == [
        "3 operations outside of jit (src/train.py:77)",
        "small1 (src/small.py:1)",
        "and 8 others, 88 ms",
    ]


def test_many_functions_of_one_line_are_one_row():
    shown = table(
        *(
            program(n, n, function=f"f{n}", defined=["src/made.py", n], causes=[], why=[])
            for n in range(1, 41)
        )
    )
    (row,) = shown
    assert row.startswith("  40 functions (src/train.py:41)") and " 40 " in row


def test_seconds_of_threads_are_not_added_up_to_more_than_the_run():
    busy = [program(n, 6.0, seconds={"compile": 5.0}, causes=[], why=[]) for n in range(1, 9)]
    run = fold([start(), *busy, {"event": "summary", "at": 6.4}])
    assert "8 compiles took 5.0 s of 6.4 s (40.0 s in several threads)" in text.render(run)


def test_what_a_library_only_traces_takes_no_room():
    """Flax traces a lambda of its own at each layer, to look at the shape of a key."""
    traced = {"owner": "library", "causes": [], "why": [], "seconds": {"trace": 0.001}}
    shown = table(
        program(1, 1), *(program(n, n, function="<lambda>", line=n, **traced) for n in range(2, 9))
    )
    assert len(shown) == 2
    assert shown[1] == "  and 7 others, 7 ms"
