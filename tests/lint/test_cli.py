"""The command line: options, output, exit codes. Most tests use an engine that reports words."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gotcha_lint import __version__, formats, registry, terminal
from gotcha_lint.cli import command, main
from gotcha_lint.progress import Bar
from gotcha_lint.reporting import summary

Result = SimpleNamespace
Cli = Callable[..., Any]
LINT = Path(__file__).parents[2] / "lint"


@pytest.fixture
def cli(
    tools: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Cli:
    """`cli("--fix", "a.py", stdin="...")` in an empty directory: code, out, err."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)

    def call(*args: str, stdin: bytes = b"") -> Any:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(stdin), isatty=bool))
        code = main(args, tools)
        out, err = capsys.readouterr()
        return Result(code=code, out=out, err=err)

    return call


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


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
    write("gotcha.toml", "preview = false\n")
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
        (("--slect", "x"), "No such option '--slect'"),
        (("--select", "bad-wrod"), 'unknown rule or family "bad-wrod"; did you mean "bad-word"?'),
        (("--ignore", "bad-word,wrods"), 'unknown rule or family "wrods"; did you mean "words"?'),
        (("--output-format", "fulll"), "'fulll' is not one of"),
        (("--fail-on", "info"), "'info' is not one of"),
        (("--jobs", "0"), "0 is not in the range"),
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
    assert names(cli(*run)) == {"bad-word", "worse-word", "odd-sign"}
    assert names(cli(*run, "--select", "words")) == {"bad-word", "worse-word"}
    assert names(cli(*run, "--select", "bad-word, signs")) == {"bad-word", "odd-sign"}
    assert names(cli(*run, "--select", "bad-word", "--select", "signs")) == {"bad-word", "odd-sign"}
    assert names(cli(*run, "--ignore", "words")) == {"odd-sign"}
    assert names(cli(*run, "--preview", "--ignore", "signs")) == {
        "bad-word",
        "worse-word",
        "new-word",
    }
    assert "new-word" in names(cli(*run, "--extend-select", "new-word"))


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
    expected = (
        "note: a.py:1:1: the fix of `bad-word` was taken back: the result is not valid Python"
    )
    assert expected in result.err
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


def test_list_rules(cli: Cli, snapshot: Callable[[str, str], None]) -> None:
    snapshot("list-rules.txt", cli("--list-rules").out)
    rows = json.loads(cli("--list-rules", "--output-format", "json").out)
    assert {row["name"] for row in rows} >= {"bad-word", "odd-sign"}


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


def test_why_and_coverage(cli: Cli, tools: Any) -> None:
    write("a.py", "x\n")
    write("b.py", "x\n")
    assert cli("--why", "./b.py:1").out == "b.py:1 of 2\n"
    assert cli("--why", "b.py:1", "a.py").out == "b.py:1 of 2\n"
    assert tools.calls[-1]["keep"]
    result = cli("--coverage")
    assert result.out == "2 of 3 transform sites understood (67%)\n  a.py:4: jax.jit( f)\n"
    assert json.loads(cli("--coverage", "--output-format", "json").out)["resolved"] == 2


def test_show_settings(cli: Cli) -> None:
    write("a.py", "x\n")
    write("sub/b.py", "x\n")
    write("sub/gotcha.toml", "preview = true\n[facts]\n'a.b' = {like = 'jax.jit'}\n")
    out = cli("--show-settings", "--ignore", "words").out
    assert "# no configuration file: 1 file\n" in out
    assert f"# {os.path.join('sub', 'gotcha.toml')}: 1 file\n" in out
    assert 'ignore = ["words"]' in out
    assert 'facts = { "a.b" = { "like" = "jax.jit" } }' in out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(cli: Cli, shell: str) -> None:
    assert "_GOTCHA_LINT_COMPLETE" in cli("--completion", shell).out


def test_completion_of_names(cli: Cli) -> None:
    from gotcha_lint.cli import _complete_names

    name = next(iter(registry.rules()))
    ctx: Any = None
    items = [item.value for item in _complete_names(ctx, ctx, f"words,{name[:3]}")]
    families = {rule.family for rule in registry.rules().values()} - {"engine"}
    assert all(item.startswith(f"words,{name[:3]}") for item in items)
    assert {item.value for item in _complete_names(ctx, ctx, "")} >= families


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


# ---- the real program -------------------------------------------------------------------------


def python(*args: str, cwd: Path, **given: Any) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PYTHONPATH": str(LINT)}
    return subprocess.run(
        [sys.executable, *args], cwd=cwd, env=env, capture_output=True, text=True, **given
    )


HEAVY = ("libcst", "rich", "pathspec", "tomllib", "jax")
PROBE = """
import sys
from gotcha_lint.cli import main
main(sys.argv[1:])
print("loaded:", *[name for name in {heavy} if name in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("args", "allowed"),
    [
        (("--version",), ()),
        (("--help",), ()),
        (("--list-rules",), ()),
        (("--explain", "syntax-error"), ()),
        (("--completion", "bash"), ()),
        (("--show-settings",), ()),
        (("--output-format", "sarif"), ("libcst",)),
    ],
)
def test_imports_stay_light(
    tmp_path: Path, args: tuple[str, ...], allowed: tuple[str, ...]
) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    probe = PROBE.format(heavy=HEAVY)
    loaded = python("-c", probe, *args, cwd=tmp_path).stderr.rpartition("loaded:")[2].split()
    assert set(loaded) <= set(allowed)


def test_the_probe_notices(tmp_path: Path) -> None:
    probe = "import libcst\n" + PROBE.format(heavy=HEAVY)
    assert "libcst" in python("-c", probe, "--version", cwd=tmp_path).stderr


def rule_with(key: str) -> registry.RuleInfo:
    rules = registry.rules().values()
    found = next((r for r in rules if r.examples and not r.preview and getattr(r, key)), None)
    if found is None:
        pytest.skip(f"no stable rule with {key} and an example")
    return found


def test_a_real_run(tmp_path: Path) -> None:
    rule = rule_with("summary")
    (tmp_path / "bad.py").write_text(rule.examples[0]["bad"] + "\n")
    (tmp_path / "good.py").write_text("x = 1\n")
    result = python(
        "-m", "gotcha_lint", "--output-format", "json", "--select", rule.name, cwd=tmp_path
    )
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert {(row["name"], row["path"]) for row in json.loads(result.stdout)} == {
        (rule.name, "bad.py")
    }
    for name in formats.names():
        assert python("-m", "gotcha_lint", "--output-format", name, cwd=tmp_path).returncode == 1


def test_a_real_fix(tmp_path: Path) -> None:
    rule = rule_with("fixable")
    file = tmp_path / "a.py"
    file.write_text(rule.examples[0]["bad"] + "\n")
    args = ("-m", "gotcha_lint", "--unsafe-fixes", "--select", rule.name)
    diff = python(*args, "--diff", cwd=tmp_path)
    before = file.read_text()
    result = python(*args, "--fix", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert file.read_text() != before
    assert diff.returncode == 1
    assert diff.stdout.startswith("--- a.py\n+++ a.py\n")


def test_a_syntax_error_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import jax\ndef f(:\n")
    result = python("-m", "gotcha_lint", cwd=tmp_path)
    assert result.returncode == 1
    assert "a.py:2:" in result.stdout
    assert "[syntax-error]" in result.stdout
    assert python("-m", "gotcha_lint", "--ignore", "syntax-error", cwd=tmp_path).returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes of POSIX")
def test_interrupt_and_closed_pipe(tmp_path: Path) -> None:
    rule = rule_with("summary")
    for number in range(40):
        (tmp_path / f"bad{number}.py").write_text(rule.examples[0]["bad"] * 20 + "\n")
    env = os.environ | {"PYTHONPATH": str(LINT)}
    pipe = subprocess.PIPE
    run = [sys.executable, "-m", "gotcha_lint"]
    closed = subprocess.Popen(run, cwd=tmp_path, env=env, stdout=pipe, stderr=pipe)
    assert closed.stdout is not None and closed.stderr is not None
    closed.stdout.close()
    assert b"Traceback" not in closed.stderr.read()
    closed.stderr.close()
    assert closed.wait(60) in (0, 1)
    waiting = subprocess.Popen(
        [*run, "-"], cwd=tmp_path, env=env, stdin=pipe, stdout=pipe, stderr=pipe
    )
    time.sleep(1.0)  # it waits for its input
    waiting.send_signal(signal.SIGINT)
    _, err = waiting.communicate(timeout=60)
    assert waiting.returncode == 130
    assert err.decode().strip() == "interrupted"


def test_output_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    rule = rule_with("summary")
    (tmp_path / "名.py").write_text(rule.examples[0]["bad"] + "\n")
    env = os.environ | {"PYTHONPATH": str(LINT), "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    run = [sys.executable, "-m", "gotcha_lint"]
    result = subprocess.run(run, cwd=tmp_path, env=env, capture_output=True)
    assert result.returncode == 1
    assert b"\\u540d.py:" in result.stdout
