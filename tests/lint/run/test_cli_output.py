"""The command line: what it prints, and the options that print and end."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gotcha_lint import __version__, formats, registry
from gotcha_lint.cli import command
from gotcha_lint.output import terminal
from gotcha_lint.output.progress import Bar
from gotcha_lint.output.table_text import table
from gotcha_lint.reporting import summary
from tests.lint.support import Cli, write


def test_output_file(cli: Cli) -> None:
    write("a.py", "BAD\n")
    result = cli("--output-format", "json", "--output-file", "out.json", "--color", "always")
    assert result.out == ""
    assert json.loads(Path("out.json").read_text())[0]["name"] == "bad-word"
    assert sorted(os.listdir()) == ["a.py", "out.json"]


def test_statistics(cli: Cli) -> None:
    write("a.py", "BAD BAD BAD '§'\n")
    assert cli("--statistics").out == (
        "    3  bad-word  Finds the word BAD.\n    1  odd-sign  Finds the word BAD.\n"
    )
    told = r"\d+\.\d\d s: \d+\.\d\d s to find 1 file, 0\.00 s to read .*, 0\.00 s for places.*, "
    assert re.search(told + r"\d+\.\d\d s for the rest\n$", cli("--statistics").err)
    (first, _) = json.loads(cli("--statistics", "--output-format", "json").out)
    assert first == {"name": "bad-word", "count": 3, "fixable": True}


@pytest.mark.parametrize("name", formats.names())
def test_every_format(cli: Cli, name: str) -> None:
    write("a.py", "BAD\n")
    result = cli("--output-format", name)
    assert result.code == 1
    assert "bad-word" in result.out


def test_colour(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py", "BAD\n")
    assert "\x1b" not in cli().out
    assert "\x1b[" in cli("--color", "always").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in cli().out
    assert "\x1b" not in cli("--color", "never").out
    assert "\x1b" not in cli("--output-format", "json").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in cli().out


@pytest.mark.parametrize(
    ("env", "expected"),
    [({}, True), ({"TERM": "dumb"}, False), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)],
)
def test_colour_on_a_terminal(env: dict[str, str], expected: bool) -> None:
    stream: Any = SimpleNamespace(isatty=lambda: True)
    assert terminal.wants_colour("auto", stream, env) is expected


def test_explain(cli: Cli, snapshot: Callable[[str, str], None]) -> None:
    snapshot("explain.txt", cli("--explain", "bad-word").out)
    assert "new-word" in cli("--explain", "words").out
    assert cli("--explain", "Bad_Word").out == cli("--explain", "bad-word").out
    assert cli("--explain", "Words").out == cli("--explain", "words").out


def test_list_rules(cli: Cli, snapshot: Callable[[str, str], None]) -> None:
    snapshot("list-rules.txt", cli("--list-rules").out)
    rows = json.loads(cli("--list-rules", "--output-format", "json").out)
    assert {row["name"] for row in rows} >= {"bad-word", "odd-sign"}


def test_a_table_is_wrapped_to_the_screen() -> None:
    rows = ["| a | what it is |", "| --- | :-: |", "| `x` | one \\| two three four five |", "| y |"]
    assert table(rows, 20) == [
        "a    what it is",
        "---  ---------------",
        "`x`  one | two three",
        "     four five",
        "y",
    ]


def test_explain_shows_no_table_marks(cli: Cli) -> None:
    text = cli("--explain", "recompile").out
    assert "cause " in text and "| ---" not in text
    assert all(len(line) <= 88 for line in text.splitlines() if not line.startswith("    "))


@pytest.mark.parametrize(
    ("columns", "terminal_", "prose", "source"),
    [("", False, 88, 320), ("70", False, 70, 70), ("200", False, 100, 200), ("20", True, 40, 40)],
)
def test_columns_count(columns: str, terminal_: bool, prose: int, source: int) -> None:
    stream: Any = SimpleNamespace(isatty=lambda: terminal_)
    env = {"COLUMNS": columns} if columns else {}
    assert (terminal.width(stream, env), terminal.source_width(stream, env)) == (prose, source)


def test_a_pipe_gets_whole_lines(cli: Cli) -> None:
    write("a.py", f"BAD = '{'x' * 200}'\n")
    assert "x" * 200 in cli().out


def test_links_are_for_terminals(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py", "BAD\n")
    assert "\x1b]8" not in cli("--color", "always").out
    monkeypatch.setattr(terminal, "is_terminal", lambda stream: True)
    monkeypatch.setattr(terminal, "local_page", lambda name: f"file:///{name}")
    assert "\x1b]8;;file:///bad-word" in cli("--color", "always").out
    assert "\x1b]8" not in cli("--color", "never").out


def test_local_page() -> None:
    assert terminal.local_page("recompile").startswith("file:///")
    assert terminal.local_page("no-such-page") == ""


def test_explain_error(cli: Cli) -> None:
    message = b"ValueError: Jitted function has invalid argnames {'trian'} in static_argnames."
    result = cli("--explain-error", stdin=message)
    assert result.code == 0
    assert "argument  {'trian'}" in result.out
    write("trace.txt", message.decode())
    assert cli("--explain-error", "trace.txt").out == result.out
    unknown = cli("--explain-error", stdin=b"KeyError: 'x'")
    assert (unknown.code, unknown.out) == (1, "")
    assert "no JAX error that is known" in unknown.err


def test_why(cli: Cli, tools: Any) -> None:
    write("a.py", "x\n")
    write("b.py", "x\n")
    assert cli("--why", "./b.py:1").out == "b.py:1\n"
    assert cli("--why", os.path.abspath("b.py") + ":1").out == "b.py:1\n"
    assert [call["files"] for call in tools.calls] == [["b.py"]] * 2


def test_show_settings(cli: Cli) -> None:
    write("a.py", "x\n")
    write("sub/b.py", "x\n")
    write("sub/gotcha.toml", "all = true\n[facts]\n'a.b' = {like = 'jax.jit'}\n")
    out = cli("--show-settings", "--ignore", "words").out
    assert "# no configuration file: 1 file\n" in out
    assert f"# {os.path.join('sub', 'gotcha.toml')}: 1 file\n" in out
    assert 'ignore = ["words"]' in out
    assert 'facts = { "a.b" = { "like" = "jax.jit" } }' in out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(cli: Cli, shell: str) -> None:
    assert "_GOTCHA_LINT_COMPLETE" in cli("--completion", shell).out


def test_completion_of_names(cli: Cli) -> None:
    from gotcha_lint.cli import complete_names

    name = next(iter(registry.rules()))
    ctx: Any = None
    items = [item.value for item in complete_names(ctx, ctx, f"words,{name[:3]}")]
    families = {rule.family for rule in registry.rules().values()} - {"engine"}
    assert all(item.startswith(f"words,{name[:3]}") for item in items)
    assert {item.value for item in complete_names(ctx, ctx, "")} >= families


def test_help_names_every_option(cli: Cli) -> None:
    out = cli("--help").out
    for param in command.params:
        assert param.name == "paths" or param.opts[0] in out
    assert "Exit codes: 0 clean, 1 findings" in out


def test_version(cli: Cli) -> None:
    assert cli("--version").out == f"gotcha-lint {__version__}\n"


def test_summary_counts() -> None:
    assert summary([], 2, 0, False) == "no findings in 2 files"
    assert summary([], 1, 3, False) == "fixed 3; no findings in 1 file"
    skipped = "no findings in 5 files; 2 analysed, 3 skipped: no JAX in them"
    assert summary([], 5, 0, False, 3) == skipped


def test_progress_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    clock = iter([0.0, 0.5, 1.5, 1.6])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock, 2.0))
    with Bar(wanted=True) as bar:
        bar(1, 3)
        assert screen.getvalue() == ""
        bar(2, 3)
    assert "linting" in screen.getvalue()
    with Bar(wanted=False) as bar:
        bar(1, 3)
