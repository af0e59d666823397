"""`gotcha-sanitize report`: what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gotcha_lint import formats
from gotcha_lint.cli import main as lint_main
from gotcha_lint.home import page_url
from gotcha_sanitizer import catalogue
from gotcha_sanitizer.commands import names
from gotcha_sanitizer.explain.rule_texts import rule_text
from gotcha_sanitizer.run.merge import merge
from gotcha_sanitizer.run.record import fold
from gotcha_sanitizer.values.finding import as_dict, from_dict
from gotcha_sanitizer.values.parts import Site
from tests.sanitizer import records
from tests.sanitizer.records import finding, program, start

Snapshot = Callable[[str, str], None]


@pytest.fixture
def run(tmp_path: Path) -> str:
    (tmp_path / "src").mkdir()
    lines = [f"line {n}" for n in range(1, 60)]
    lines[40] = "        state = step(state, batch)"
    program = tmp_path / "src" / "train.py"
    program.write_text("\n".join(lines))
    os.utime(program, (1_600_000_000, 1_600_000_000))  # before the runs of `records`
    records.write(tmp_path / "run.jsonl", records.storm())
    return "run.jsonl"


def test_the_help_says_each_command_in_whole(cli: Any):
    code, out, _ = cli("--help")
    assert code == 0
    assert [name for name in names() if not re.search(rf"^  {name} .*[^.]\.$", out, re.M)] == []


def test_text(cli: Any, run: str, snapshot: Snapshot):
    code, out, _ = cli("report", run)
    assert code == 0
    snapshot("report.txt", out)


@pytest.mark.parametrize("name", ["json", *formats.names()])
def test_every_format(cli: Any, run: str, name: str):
    code, out, _ = cli("report", run, "--format", name)
    assert code == 0
    assert "recompile" in out
    assert out.isascii()


def test_formats_carry_price_and_cure(cli: Any, run: str, snapshot: Snapshot):
    snapshot("report-full.txt", cli("report", run, "--format", "full")[1])
    assert "19.0 s lost); pad to a few fixed sizes" in cli("report", run, "--format", "github")[1]


def test_places_below_the_working_directory_are_relative(cli: Any, run: str, tmp_path: Path):
    site = Site(str(tmp_path / "src" / "train.py"), 41, "main")
    records.write(tmp_path / run, [start(), finding(site=site)])
    out = cli("report", run, "--format", "concise")[1]
    assert out.startswith("src/train.py:41:9: ")


def test_rules_have_texts_in_sarif(cli: Any, run: str):
    whole = json.loads(cli("report", run, "--format", "sarif")[1])
    (one,) = whole["runs"]
    rules = {rule["id"]: rule for rule in one["tool"]["driver"]["rules"]}
    assert set(rules) == {"recompile", "large-constant-captured"}
    assert all(len(rule["fullDescription"]["text"]) > 20 for rule in rules.values())
    region = one["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 41, "startColumn": 9, "endLine": 41, "endColumn": 35}


def test_redacted_runs_show_no_source(cli: Any, run: str, tmp_path: Path):
    records.write(tmp_path / run, [start(redact=True), finding()])
    for name in ("text", "full", "html"):
        out = cli("report", run, "--format", name)[1]
        assert "step" in out and "state = step" not in out


def test_html_is_written(cli: Any, run: str, tmp_path: Path):
    code, out, err = cli("report", run, "--html", "page.html")
    assert (code, out, err) == (0, "", "wrote page.html\n")
    assert "<!doctype html>" in (tmp_path / "page.html").read_text("utf-8")
    code, _, err = cli("report", run, "--html", "none/page.html")
    assert code == 2 and "none/page.html" in err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("never", 0),
        ("warning", 1),
        ("error", 0),
        ("recompile/shape", 1),
        ("recompile/dtype", 0),
        ("stale-capture,large-constant-captured", 1),
    ],
)
def test_fail_on(cli: Any, run: str, words: str, code: int):
    assert cli("report", run, "--fail-on", words)[0] == code


def test_warning_means_errors_too(cli: Any, tmp_path: Path):
    records.write(tmp_path / "run.jsonl", [start(), finding(severity="error")])
    assert cli("report", "run.jsonl", "--fail-on", "warning")[0] == 1


@pytest.mark.parametrize(
    "text", ["", "no json\n", '{"event": "start"}\nno json\n[1]\n', "[1]\n[2]\n"]
)
def test_what_is_no_record(cli: Any, tmp_path: Path, text: str):
    (tmp_path / "run.jsonl").write_text(text)
    code, out, err = cli("report", "run.jsonl")
    assert code == (2 if text else 0) and out == ""
    assert "run.jsonl" in err or not text
    assert cli("report", "missing.jsonl")[0] == 2


def test_usage(cli: Any, run: str):
    assert cli("report")[0] == 2
    assert cli("report", run, "--format", "wrong")[0] == 2
    assert cli("wrong")[0] == 2
    code, out, _ = cli("--help")
    assert code == 0
    assert {"report", "diff", "doctor", "run"} <= set(re.findall(r"^  ([a-z]+) ", out, re.M))
    assert {"report", "diff", "doctor", "run"} <= set(names())


def test_an_error_of_ours_is_3(cli: Any, run: str, monkeypatch: Any):
    monkeypatch.setattr("gotcha_sanitizer.reporters.text.render", lambda *a, **k: 1 / 0)
    code, _, err = cli("report", run)
    assert code == 3 and "internal error" in err


def test_several_processes(cli: Any, run: str, tmp_path: Path, snapshot: Snapshot):
    later = [start(pid=8, time=1_700_000_050.0), program(1, 5.0), finding(count=3, seconds=1.0)]
    records.write(tmp_path / "other.jsonl", later)
    code, out, _ = cli("report", run, "other.jsonl")
    assert code == 0
    snapshot("report-processes.txt", out)
    whole = json.loads(cli("report", run, "other.jsonl", "--format", "json")[1])
    assert [process["pid"] for process in whole["processes"]] == [7, 8]
    assert [process["complete"] for process in whole["processes"]] == [True, False]
    first = whole["findings"][0]
    assert (first["name"], first["count"], first["seconds"]) == ("recompile", 5, 20.0)
    assert whole["totals"]["programs"] == 5


def test_merged_runs_have_one_clock():
    early = fold([start(), program(1, 10.0)])
    late = fold([start(pid=8, time=1_700_000_050.0), program(1, 5.0)])
    whole = merge([late, early])
    assert [(p["pid"], p["at"]) for p in whole.programs] == [(7, 10.0), (8, 55.0)]
    assert whole.start["pid"] == 7 and whole.last == 55.0
    (row,) = whole.rows.values()
    assert (row.compiles, row.seconds["compile"]) == (2, 16.0)
    (own,) = early.rows.values()
    assert own.compiles == 1  # what was merged is as it was


def test_a_finding_keeps_its_id_through_a_record():
    event = finding()
    assert as_dict(from_dict(event))["id"] == event["id"]


# -- explanations ------------------------------------------------------------------------------


def test_every_finding_of_a_check_can_be_explained():
    for name in catalogue.names():
        rule = rule_text(name)
        assert rule is not None and rule.summary and rule.url == page_url(name)
        assert lint_main(["--explain", name]) == 0
