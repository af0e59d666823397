"""The two variables as a user writes them, and what he is told of a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from gotcha_sanitizer.catalogue import names
from gotcha_sanitizer.option_text import parse
from gotcha_sanitizer.options import Options
from tests.sanitizer.support import run
from tests.sanitizer.test_facts import PROGRAM


@pytest.mark.parametrize("name", sorted(names()))
def test_every_gotcha_of_a_run_is_chosen_by_its_name(name: str):
    assert parse("", name) == parse(f"checks={name}") == Options(checks=(name,))
    assert not parse("", name).problems


@pytest.mark.parametrize(
    ("select", "text", "problem"),
    [
        ("zero-gradent", "", "GOTCHA_SANITIZE: unknown check 'zero-gradent'; did you mean 'zero-g"),
        ("recompile,facts", "", "GOTCHA_SANITIZE: unknown check 'facts'"),
        ("1", "checks=recompil", "GOTCHA_OPTIONS: unknown check 'recompil'; did you mean 'recomp"),
        ("1", "quite=1", "GOTCHA_OPTIONS: unknown option 'quite'; did you mean 'quiet'?"),
        ("1", "warmup=many", "GOTCHA_OPTIONS: warmup='many': write a whole number"),
        ("1", "html", "GOTCHA_OPTIONS: html has no value; write html=..."),
    ],
)
def test_a_mistake_is_told_with_the_variable_that_has_it(select: str, text: str, problem: str):
    (told,) = parse(text, select).problems
    assert told.startswith(problem)


def test_a_flag_alone_is_on():
    assert parse("quiet:redact:color=never") == parse("quiet=1:redact=1:color=never")
    assert parse("quiet").quiet and not parse("quiet=0").quiet and not parse("quiet=").quiet


@pytest.mark.parametrize(
    ("name", "found"), [("zero-gradient", {"zero-gradient"}), ("recompile", set())]
)
def test_a_run_finds_what_was_chosen_and_nothing_else(name: str, found: set[str], tmp_path: Path):
    (program := tmp_path / "train.py").write_text(PROGRAM, "utf-8")
    result = run(program, tmp_path / "run.jsonl", env={"GOTCHA_SANITIZE": name})
    assert {finding.name for finding in result.problems} == found, result.err
    assert result.run.start["checks"] == [name]
    assert "GOTCHA_" not in result.err
