"""The program as it is run: start-up, the real engine, signals, pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gotcha_lint import formats, registry

LINT = Path(__file__).parents[2] / "lint"


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


def test_why_of_a_line_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import jax\n\n\n@jax.jit\ndef f(x):\n    return x\n")
    last = python("-m", "gotcha_lint", "--why", "a.py:6", cwd=tmp_path)
    assert (last.returncode, last.stdout.partition(":")[0]) == (0, "f")
    result = python("-m", "gotcha_lint", "--why", "a.py:7", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert "--why a.py:7: a.py has 6 lines" in result.stderr


def rule_with(key: str) -> registry.RuleInfo:
    rules = registry.rules().values()
    found = next(
        (r for r in rules if r.examples and r.confidence == "high" and getattr(r, key)), None
    )
    assert found is not None, f"no rule with {key} and an example"
    return found


def test_a_real_run(tmp_path: Path) -> None:
    rule = rule_with("summary")
    (tmp_path / "bad.py").write_text(rule.examples[0]["bad"] + "\n")
    (tmp_path / "good.py").write_text("x = 1\n")
    args = ("-m", "gotcha_lint", "--select", rule.name, "--output-format")
    result = python(*args, "json", cwd=tmp_path)
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert {(row["name"], row["path"]) for row in json.loads(result.stdout)} == {
        (rule.name, "bad.py")
    }
    for name in formats.names():
        assert python(*args, name, cwd=tmp_path).returncode == 1


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


def test_a_file_that_is_named_is_parsed_though_it_uses_no_jax(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(:\n")
    (tmp_path / "b.py").write_text("import os\n")
    (tmp_path / "c.py").write_text("import jax\n")
    named = python("-m", "gotcha_lint", "a.py", "b.py", "--output-format", "concise", cwd=tmp_path)
    assert named.returncode == 1
    assert named.stdout == "a.py:1:7: error[syntax-error] not valid Python: invalid syntax\n"
    assert named.stderr == (
        "1 finding in 2 files (1 error); 0 analysed, 2 skipped: no JAX in them\n"
    )
    walked = python("-m", "gotcha_lint", ".", cwd=tmp_path)
    assert (walked.returncode, walked.stdout) == (0, "")
    assert walked.stderr == "no findings in 3 files; 1 analysed, 2 skipped: no JAX in them\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (b"def f(:\n", "syntax-error"),
        (b"x = 1\0\n", "undecodable-file"),
        (b"x = " + b"(" * 5000 + b")" * 5000 + b"\n", "too-deeply-nested"),
        (b"print 'hello'\n", "syntax-error"),
        (b"x = '\\d'\n", ""),
        (b"", ""),
    ],
)
@pytest.mark.parametrize("stdin", [False, True])
def test_what_a_named_file_without_jax_holds(
    tmp_path: Path, text: bytes, name: str, stdin: bool
) -> None:
    (tmp_path / "a.py").write_bytes(text)
    options = ["--output-format", "jsonl", "--no-cache"]
    with (tmp_path / "a.py").open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-m", "gotcha_lint", *options, "-" if stdin else "a.py"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(LINT)},
            stdin=file,
            capture_output=True,
            text=True,
        )
    found = [json.loads(line)["name"] for line in done.stdout.splitlines()]
    assert found == ([name] if name else []), done.stderr


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
        [*run, "-"],
        cwd=tmp_path,
        env=env,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's `&` ignores it
    )
    time.sleep(2.0)  # it starts, and waits for its input
    waiting.send_signal(signal.SIGINT)
    _, err = waiting.communicate(timeout=60)
    assert waiting.returncode == 130
    assert err.decode().strip() == "interrupted"


def test_output_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    rule = rule_with("summary")
    (tmp_path / "名.py").write_text(rule.examples[0]["bad"] + "\n")
    env = os.environ | {"PYTHONPATH": str(LINT), "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    run = [sys.executable, "-m", "gotcha_lint", "--select", rule.name]
    result = subprocess.run(run, cwd=tmp_path, env=env, capture_output=True)
    assert result.returncode == 1
    assert b"\\u540d.py:" in result.stdout
