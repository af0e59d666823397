"""The command line: fixes, differences, standard input. The engine reports words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.lint.support import Cli, write


def test_fix(cli: Cli) -> None:
    path = write("a.py", "x = BAD, BAD\n")
    path.chmod(0o640)
    result = cli("--fix", "--output-format", "concise")
    assert (result.code, result.out) == (0, "")
    assert result.err == "fixed 2; no findings in 1 file\n"
    assert path.read_text() == "x = GOOD, GOOD\n"
    assert path.stat().st_mode & 0o777 == 0o640


def test_fix_shows_what_is_left_in_its_new_place(cli: Cli, tools: Any) -> None:
    tools.words["bad-word"] = ("BAD", "\n\nx")
    write("a.py", "x = 1;BAD\ny = '§'\n")
    result = cli("--fix", "a.py")
    assert result.code == 0
    assert "a.py:4:6: info[odd-sign]" in result.out
    assert "  4 | y = '§'\n    |      ^" in result.out


def test_unsafe_fixes(cli: Cli, tools: Any) -> None:
    tools.safe = False
    path = write("a.py", "BAD\n")
    result = cli("--fix")
    assert result.code == 1
    assert "1 more with --unsafe-fixes" in result.err
    assert path.read_text() == "BAD\n"
    assert cli("--fix", "--unsafe-fixes").code == 0
    assert path.read_text() == "GOOD\n"


def test_a_fix_that_is_taken_back_is_told(cli: Cli, tools: Any) -> None:
    tools.words["bad-word"] = ("BAD", "(")
    path = write("a.py", "BAD\n")
    result = cli("--fix")
    assert result.code == 1
    expected = "note: a.py:1:1: the fix of `bad-word` was undone: the result is not valid Python"
    assert expected in result.err
    assert path.read_text() == "BAD\n"


def test_a_fix_that_breaks_the_linter_is_taken_back(cli: Cli, tools: Any) -> None:
    tools.words["bad-word"] = ("BAD", "RAISE")
    path = write("a.py", "BAD\n")
    result = cli("--fix")
    assert "undone: the result breaks the linter: a.py, bad-word" in result.err
    assert result.code == 1
    assert path.read_text() == "BAD\n"


def test_a_file_that_changed_meanwhile_is_left_alone(cli: Cli, tools: Any) -> None:
    path = write("a.py", "BAD\n")
    write("b.py", "BAD\n")
    lint = tools.lint

    def editing(*args: Any, **given: Any) -> Any:
        report = lint(*args, **given)
        if given["overlay"]:
            path.write_text("somebody else's BAD\n")
        return report

    tools.lint = editing
    result = cli("--fix")
    assert result.code == 2
    assert "a.py: not fixed, it changed while it was linted" in result.err
    assert path.read_text() == "somebody else's BAD\n"
    assert Path("b.py").read_text() == "GOOD\n"


def test_diff(cli: Cli) -> None:
    path = write("a.py", "x = 1\ny = BAD")
    result = cli("--diff")
    assert result.code == 1
    assert result.out == (
        "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n x = 1\n"
        "-y = BAD\n\\ No newline at end of file\n+y = GOOD\n\\ No newline at end of file\n"
    )
    assert path.read_text() == "x = 1\ny = BAD"
    path.write_text("'§'\n")
    assert (cli("--diff").code, cli("--fix", "--diff").out) == (0, "")


def test_standard_input(cli: Cli) -> None:
    result = cli("-", "--output-format", "concise", stdin=b"BAD\n")
    assert (result.code, result.out) == (1, "<stdin>:1:1: warning[bad-word] the word BAD\n")
    write("sub/gotcha.toml", "ignore = ['bad-word']\n")
    assert cli("-", "--stdin-filename", "sub/a.py", stdin=b"BAD\n").code == 0


def test_standard_input_fixed(cli: Cli) -> None:
    result = cli("-", "--fix", "--output-format", "concise", stdin=b"BAD\r\n'\xc2\xa7'\r\n")
    assert result.out == "GOOD\r\n'§'\r\n"
    assert "<stdin>:2:2: info[odd-sign]" in result.err
    assert result.code == 0


def test_standard_input_excluded(cli: Cli) -> None:
    args = ("-", "--stdin-filename", "venv/a.py")
    assert cli(*args, stdin=b"BAD\n").code == 1
    assert cli(*args, "--force-exclude", stdin=b"BAD\n").code == 0
    assert cli(*args, "--force-exclude", "--fix", stdin=b"BAD\n").out == "BAD\n"
