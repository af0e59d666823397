"""`--with-run`: what a run confirms, what it does not, and what no rule predicted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gotcha_lint.config.options import UsageError
from gotcha_lint.config.settings import Settings
from gotcha_lint.finding import Finding, Place, SeenRunning
from gotcha_lint.registry import rules
from gotcha_lint.text.source import decode
from gotcha_lint.views.with_run import with_run

SOURCE = """\
import jax


@jax.jit
def first(x):
    return x


def main(batches):
    for batch in batches:
        jax.jit(lambda p: p + batch)(1.0)
    for batch in batches:
        first(batch)


for _ in range(3):
    jax.jit(lambda p: p)(1.0)
for _ in range(3):
    first(2.0)
"""
IN_MAIN, OTHER_IN_MAIN, AT_TOP, OTHER_AT_TOP = 11, 13, 17, 19


def seen(line: int, **given: Any) -> dict[str, Any]:
    """A finding of a run, as a record has it."""
    return {
        "event": "finding",
        "name": "recompile",
        "message": "`<lambda>` was compiled 11 more times",
        "path": os.path.abspath("train.py"),
        "line": line,
        "severity": "warning",
        "chain": [],
        "id": f"id{line}{given.get('cause', '')}",
        "cause": "new-function",
        "count": 11,
        "seconds": 38.0,
        "advice": "make it once",
        "url": "https://example.org",
        **given,
    }


def rule(name: str, line: int, **given: Any) -> Finding:
    return Finding(name, f"about {name}", "train.py", line, 5, line, 30, id="r", **given)


@pytest.fixture
def confirmed(tmp_path: Path, monkeypatch: Any) -> Callable[..., list[Finding]]:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(SOURCE)
    source = decode("train.py", SOURCE.encode())

    def call(findings: list[Finding], *events: dict[str, Any], **settings: Any) -> list[Finding]:
        lines = [{"event": "start", "time": 0.0}, *events]
        Path("run.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return with_run(
            findings,
            ["run.jsonl"],
            lambda path: source if path == "train.py" else None,
            rules(),
            lambda path: Settings(**settings),
        )

    return call


def names(findings: list[Finding]) -> list[tuple[str, bool | None]]:
    """Name, and: True confirmed, False seen in the run only, None not seen."""
    return [(f.name, f.run.predicted if f.run else None) for f in findings]


def test_confirmed_findings_come_first_with_their_price(confirmed: Any):
    early, late = rule("key-reuse", 2), rule("jit-in-loop", IN_MAIN)
    first, second = confirmed([early, late], seen(IN_MAIN))
    assert second == early
    assert first.run == SeenRunning(38.0, 11, ("recompile/new-function",), True)
    assert first.message == (
        "about jit-in-loop (confirmed by recompile/new-function, 11 times, 38.0 s lost)"
    )
    assert replace(first, run=None, message=late.message) == late


def test_the_most_expensive_comes_first(confirmed: Any):
    found = [rule("jit-in-loop", IN_MAIN), rule("jit-in-loop", AT_TOP)]
    shown = confirmed(found, seen(IN_MAIN, seconds=1.0), seen(AT_TOP, seconds=2.0))
    assert [finding.line for finding in shown] == [AT_TOP, IN_MAIN]


def test_the_last_of_an_id_holds(confirmed: Any):
    (one,) = confirmed(
        [rule("jit-in-loop", IN_MAIN)], seen(IN_MAIN, count=1), seen(IN_MAIN, count=9, seconds=7.0)
    )
    assert one.run and (one.run.count, one.run.seconds) == (9, 7.0)


@pytest.mark.parametrize(
    ("name", "given", "matches"),
    [
        ("jit-in-loop", {}, True),
        ("jit-in-loop", {"cause": "shape"}, False),
        ("jit-in-loop", {"severity": "info"}, None),
        ("varying-shape", {"cause": "shape"}, True),
        ("eager-grad", {"name": "eager-grad", "cause": "anything"}, True),
        ("key-reuse", {"name": "key-reuse", "cause": ""}, True),
        ("key-reuse", {"name": "eager-grad", "cause": ""}, False),
    ],
)
def test_which_names_match(confirmed: Any, name: str, given: dict[str, Any], matches: bool | None):
    shown = confirmed([rule(name, IN_MAIN)], seen(IN_MAIN, **given))
    assert (name, True if matches else None) in names(shown)
    assert len(shown) == (2 if matches is False else 1)


@pytest.mark.parametrize(
    ("lint", "ran", "matches"),
    [
        (IN_MAIN, IN_MAIN, True),
        (IN_MAIN, OTHER_IN_MAIN, True),  # the same function
        (IN_MAIN, AT_TOP, False),
        (AT_TOP, AT_TOP, True),
        (AT_TOP, OTHER_AT_TOP, False),  # another loop of the module
        (5, 4, True),  # the decorator belongs to the function
    ],
)
def test_which_places_match(confirmed: Any, lint: int, ran: int, matches: bool):
    shown = confirmed([rule("jit-in-loop", lint)], seen(ran))
    expected = [("jit-in-loop", True)] if matches else [("jit-in-loop", None), ("recompile", False)]
    assert names(shown) == expected


def test_chains_touch(confirmed: Any):
    place = {"path": os.path.abspath("train.py"), "line": AT_TOP, "message": "the loop"}
    lint = rule("jit-in-loop", AT_TOP)
    assert names(confirmed([lint], seen(OTHER_AT_TOP, chain=[place]))) == [("jit-in-loop", True)]
    chain = (Place("train.py", OTHER_AT_TOP, 1, OTHER_AT_TOP, 9, "called here"),)
    linked = rule("jit-in-loop", 5, chain=chain)
    assert names(confirmed([linked], seen(OTHER_AT_TOP))) == [("jit-in-loop", True)]


def test_the_same_line_is_better_than_the_same_function(confirmed: Any):
    both = [rule("jit-in-loop", IN_MAIN), rule("jit-in-loop", OTHER_IN_MAIN)]
    shown = confirmed(both, seen(OTHER_IN_MAIN))
    assert [(f.line, f.run is not None) for f in shown] == [(OTHER_IN_MAIN, True), (IN_MAIN, False)]


def test_another_file_is_not_this_one(confirmed: Any):
    shown = confirmed([rule("jit-in-loop", IN_MAIN)], seen(IN_MAIN, path="/proj/other.py"))
    assert names(shown) == [("jit-in-loop", None), ("recompile", False)]


def test_a_record_of_another_machine(confirmed: Any):
    found = [rule("jit-in-loop", IN_MAIN)]
    assert names(confirmed(found, seen(IN_MAIN, path="/elsewhere/train.py"))) == [
        ("jit-in-loop", True)
    ]
    assert names(confirmed(found, seen(IN_MAIN, path="/elsewhere/not-train.py")))[0][1] is None


def test_what_no_rule_predicted(confirmed: Any):
    surprise = seen(IN_MAIN, name="stale-capture", cause="global", seconds=0.0, count=1)
    first, second = confirmed([rule("jit-in-loop", AT_TOP)], surprise)
    assert (first.run, second.name, second.path, second.line) == (
        None,
        "stale-capture",
        "train.py",
        IN_MAIN,
    )
    assert second.message.endswith("more times; make it once (seen in a run)")
    assert confirmed([], surprise, ignore=("stale-capture",)) == []


@pytest.mark.parametrize(
    "text", ["no json\n{}\n", "[1]\n[2]\n", '{"event": "finding"}\n', "\x00\n\n"]
)
def test_what_is_no_record(tmp_path: Path, text: str):
    file = tmp_path / "run.jsonl"
    file.write_text(text)
    with pytest.raises(UsageError, match="not a record"):
        with_run([], [str(file)], lambda path: None, rules(), lambda path: Settings())
    with pytest.raises(UsageError, match="missing"):
        with_run([], [str(tmp_path / "missing")], lambda p: None, rules(), lambda p: Settings())


def test_a_last_line_that_was_cut_off(tmp_path: Path, monkeypatch: Any):
    monkeypatch.chdir(tmp_path)
    Path("run.jsonl").write_text(json.dumps(seen(3)) + '\n{"event": "fin')
    (one,) = with_run([], ["run.jsonl"], lambda path: None, rules(), lambda path: Settings())
    assert one.name == "recompile"


# -- the command line --------------------------------------------------------------------------


def test_text_and_json(cli: Any, snapshot: Callable[[str, str], None]):
    Path("a.py").write_text("x = 1\ny = BAD\nz = WORSE\n")
    events = [
        seen(2, name="bad-word", cause="", path=os.path.abspath("a.py"), seconds=1.5),
        seen(1, path=os.path.abspath("a.py")),
    ]
    Path("run.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    result = cli("--with-run", "run.jsonl", "a.py")
    assert result.code == 1
    snapshot("with-run.txt", result.out)
    whole = json.loads(cli("--with-run", "run.jsonl", "a.py", "--output-format", "json").out)
    assert [finding["name"] for finding in whole] == ["bad-word", "worse-word", "recompile"]
    assert [finding.get("run", {}).get("predicted") for finding in whole] == [True, None, False]
    assert whole[0]["run"] == {
        "seconds": 1.5,
        "count": 11,
        "causes": ["bad-word"],
        "predicted": True,
    }
    schema = json.loads((files("gotcha_lint") / "schemas" / "findings.json").read_text("utf-8"))
    assert not list(Draft202012Validator(schema).iter_errors(whole))


def test_usage(cli: Any):
    Path("a.py").write_text("y = BAD\n")
    result = cli("--with-run", "missing.jsonl", "a.py")
    assert result.code == 2 and "missing.jsonl" in result.err
    assert cli("--with-run", "run.jsonl", "--fix", "a.py").code == 2


@pytest.mark.parametrize("what", [{"name": "bad-word", "cause": ""}, {"name": "recompile"}])
def test_a_file_that_changed_since_is_told(cli: Any, what: dict[str, str]):
    """Whether a rule predicted what was seen, or none did."""
    Path("a.py").write_text("y = BAD\n")
    events = [
        {"event": "start", "time": os.path.getmtime("a.py") - 100},
        seen(1, path=os.path.abspath("a.py"), **what),
    ]
    Path("run.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    assert "a.py was changed after the run" in cli("--with-run", "run.jsonl", "a.py").err
    events[0]["time"] += 200
    Path("run.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    assert "was changed" not in cli("--with-run", "run.jsonl", "a.py").err


def test_needs_neither_jax_nor_the_sanitizer(tmp_path: Path):
    (tmp_path / "a.py").write_text(SOURCE)
    (tmp_path / "run.jsonl").write_text(json.dumps(seen(IN_MAIN, path=str(tmp_path / "a.py"))))
    code = (
        "import sys; from gotcha_lint.cli import main;"
        "code = main(['--with-run', 'run.jsonl', 'a.py']);"
        "sys.exit(5 if {'jax', 'gotcha_sanitizer'} & set(sys.modules) else code)"
    )
    lint = str(Path(__file__).parents[2] / "lint")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": lint},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr
    assert "confirmed by recompile/new-function" in done.stdout
