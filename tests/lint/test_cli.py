"""The command line: options, exit codes, errors. The engine is one that reports words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.lint.support import Cli, write


def test_clean(cli: Cli) -> None:
    write("a.py", "x = 1\n")
    assert vars(cli()) == {"code": 0, "out": "", "err": "no findings in 1 file\n"}


def test_findings(cli: Cli) -> None:
    write("a.py", "x = BAD\n")
    result = cli("--output-format", "concise")
    assert result.code == 1
    assert result.out == "a.py:1:5: warning[bad-word] the word BAD\n"
    assert result.err == "1 finding in 1 file (1 warning); 1 fixable with --fix\n"
    assert "    |     ^^^\n  = help: write GOOD (--fix)\n" in cli("a.py").out


def test_quiet_and_verbose(cli: Cli) -> None:
    write("a.py", "x = BAD\n")
    assert cli("-q").err == ""
    write("gotcha.toml", "all = false\n")
    assert "configuration: " in cli("-v").err


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ((), 1),
        (("--exit-zero",), 0),
        (("--fail-on", "error"), 0),
        (("--fail-on", "never"), 0),
        (("--fail-on", "warning"), 1),
    ],
)
def test_exit_codes_of_a_warning(cli: Cli, args: tuple[str, ...], code: int) -> None:
    write("a.py", "BAD\n")
    assert cli(*args).code == code


def test_exit_codes_of_other_severities(cli: Cli) -> None:
    write("error.py", "WORSE\n")
    write("info.py", "'§'\n")
    assert cli("error.py", "--fail-on", "error").code == 1
    assert cli("info.py", "--fail-on", "warning").code == 0


def test_fail_on_of_the_nearest_file(cli: Cli) -> None:
    write("lax/a.py", "BAD\n")
    write("lax/gotcha.toml", "fail-on = 'never'\n")
    write("strict/b.py", "x\n")
    assert cli().code == 0
    write("strict/b.py", "BAD\n")
    assert cli().code == 1
    assert cli("--fail-on", "error").code == 0


def test_internal_errors(cli: Cli) -> None:
    write("a.py", "RAISE\n")
    write("b.py", "BAD\n")
    result = cli("--output-format", "concise", "--exit-zero")
    assert result.code == 3
    assert "b.py:1:1" in result.out
    assert "gotcha-lint: internal error in bad-word on a.py: KeyError: 'x'\n" in result.err


def test_one_fault_of_ours_is_told_once_for_all_files(cli: Cli) -> None:
    for name in ("a.py", "b.py", "c.py"):
        write(name, "RAISE\n")
    (told,) = [line for line in cli().err.splitlines() if "internal error" in line]
    assert told == "gotcha-lint: internal error in bad-word on a.py and 2 more files: KeyError: 'x'"


def test_an_unexpected_error_is_one_line(cli: Cli, tools: Any) -> None:
    write("a.py", "x\n")

    def broken(*args: Any, **given: Any) -> None:
        raise RuntimeError("oh\nno")

    tools.lint = broken
    result = cli()
    assert result.code == 3
    assert result.err == "gotcha-lint: internal error: RuntimeError: oh no (see --verbose)\n"
    assert "Traceback" in cli("--verbose").err


def test_interrupted(cli: Cli, tools: Any) -> None:
    write("a.py", "x\n")

    def interrupted(*args: Any, **given: Any) -> None:
        raise KeyboardInterrupt

    tools.lint = interrupted
    result = cli()
    assert (result.code, result.err.strip()) == (130, "interrupted")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("none.py",), "no such file or directory: 'none.py'"),
        (("--slect", "x"), "No such option"),
        (("--select", "bad-wrod"), 'unknown rule or family "bad-wrod"; did you mean "bad-word"?'),
        (("--ignore", "bad-word,wrods"), 'unknown rule or family "wrods"; did you mean "words"?'),
        (("--output-format", "fulll"), "'fulll'"),
        (("--fail-on", "info"), "'info'"),
        (("--jobs", "0"), "--jobs"),
        (("--config", "none.toml"), "none.toml: No such file"),
        (("--unsafe-fixes",), "--unsafe-fixes goes with --fix or --diff"),
        (("-", "a.py"), "- cannot be combined with other paths"),
        (("--stdin-filename", "a.py"), "--stdin-filename is for standard input"),
        (("--output-file", "none/x"), "--output-file none/x: no such directory"),
        (("--output-file", "."), "--output-file .: is a directory"),
        (("--explain", "bad-wrod"), 'no gotcha is called "bad-wrod"; did you mean "bad-word"?'),
        (("--explain-error", "none.txt"), "--explain-error none.txt: No such file"),
        (("--why", "a.py"), "--why a.py: expected FILE:LINE"),
        (("--why", "none.py:3"), "no such file: none.py"),
        (("--why", "a.py:100"), "--why a.py:100: no such line"),
    ],
)
def test_usage_errors(cli: Cli, args: tuple[str, ...], expected: str) -> None:
    write("a.py", "x\n")
    result = cli(*args)
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("gotcha-lint: ")
    assert expected in result.err
    assert result.err.count("\n") == 1


def test_configuration_errors_are_all_told(cli: Cli) -> None:
    write("a.py", "x\n")
    write("gotcha.toml", "selct = 1\nignore = ['wrods']\n")
    result = cli()
    assert result.code == 2
    assert result.err.splitlines() == [
        'gotcha-lint: gotcha.toml: unknown key "selct"; did you mean "select"?',
        'gotcha-lint: gotcha.toml: ignore: unknown rule or family "wrods"; did you mean "words"?',
    ]


def names(result: Any) -> set[str]:
    return {row["name"] for row in json.loads(result.out)}


def test_selection(cli: Cli) -> None:
    write("a.py", "BAD WORSE NEW §\n")
    run = ("--output-format", "json")
    words = {"bad-word", "worse-word", "new-word"}
    assert names(cli(*run)) == words | {"odd-sign"}
    assert names(cli(*run, "--select", "words")) == words
    assert names(cli(*run, "--select", "bad-word, signs")) == {"bad-word", "odd-sign"}
    assert names(cli(*run, "--select", "bad-word", "--select", "signs")) == {"bad-word", "odd-sign"}
    assert names(cli(*run, "--ignore", "words")) == {"odd-sign"}
    assert names(cli(*run, "--ignore", "signs")) == words
    more = ("--select", "signs", "--extend-select", "new-word")
    assert names(cli(*run, *more)) == {"odd-sign", "new-word"}


def test_options_reach_the_engine(cli: Cli, tools: Any) -> None:
    write("a.py", "x\n")
    cli("--jobs", "3", "--no-screen", "--no-cache")
    assert tools.calls[-1]["jobs"] == 3
    assert tools.calls[-1]["screen"] is False
    cli()
    assert 1 <= tools.calls[-1]["jobs"] <= 4
    assert tools.calls[-1]["screen"] is True


def test_no_files(cli: Cli) -> None:
    result = cli()
    assert result.code == 0
    assert "warning: no Python files under the given paths" in result.err
