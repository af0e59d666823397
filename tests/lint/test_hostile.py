"""Bad input: a clear finding or one line of error; never a traceback."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.lint.support import code

FLAWED = code("""
    import jax


    @jax.jit
    def f(x):
        if x > 0:
            return x
""")


def run(
    folder: Path, *args: str, python: Sequence[str] = (), **options: object
) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own; `b.py` in the folder has one finding."""
    (folder / "pyproject.toml").touch()
    (folder / "b.py").write_text(FLAWED, "utf-8")
    command = [sys.executable, *python, "-m", "gotcha_lint", "--output-format", "concise", *args]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "NO_COLOR": "1"}
    return subprocess.run(
        command,
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=240,
        **options,  # type: ignore[call-overload]
    )


def check(result: subprocess.CompletedProcess[str], *words: str) -> None:
    """b.py's finding is there, and every word; no traceback."""
    assert "Traceback" not in result.stderr + result.stdout
    assert "b.py:6:8: error[traced-if]" in result.stdout
    for word in words:
        assert word in result.stdout + result.stderr
    assert result.returncode == 1


BAD = {
    "syntax error": (b"import jax\ndef f(:\n", "a.py:2", "syntax-error"),
    "not UTF-8": (b"import jax\nx = '\xff\xfe'\n", "a.py:2", "undecodable-file"),
    "unknown codec": (b"# -*- coding: klingon -*-\nimport jax\n", "klingon", "undecodable-file"),
    "null bytes": (b"import jax\nx = 1\0\n", "a.py:2", "null"),
    "nested parentheses": (
        b"import jax\nx = " + b"(" * 2000 + b")" * 2000,
        "too-deeply-nested",
        "200",
    ),
    "nested calls": (
        b"import jax\nx = " + b"f(" * 2000 + b")" * 2000,
        "too-deeply-nested",
        "a.py:2",
    ),
    "long chain": (b"import jax\nx = " + b"a + " * 20000 + b"a\n", "too-deeply-nested", "a.py:2"),
    "long attribute chain": (
        b"import jax\nx = a" + b".b" * 20000 + b"\n",
        "too-deeply-nested",
        "a.py:2",
    ),
    "many else-ifs": (
        b"import jax\nif a: pass\n" + b"elif a: pass\n" * 5000,
        "too-deeply-nested",
        "a.py",
    ),
    "deep indentation": (
        b"import jax\n"
        + b"".join(b" " * n + b"if a:\n" for n in range(500))
        + b" " * 500
        + b"pass\n",
        "a.py",
        "error[",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(name, tmp_path):
    raw, *words = BAD[name]
    (tmp_path / "a.py").write_bytes(raw)
    check(run(tmp_path, "."), *words)


FINE = {
    "empty": b"",
    "only a comment": b"# jax",
    "byte order mark": b"\xef\xbb\xbfimport jax\n",
    "latin-1 cookie": b"# coding: latin-1\nimport jax\nx = '\xe9'\n",
    "mixed line ends": b"import jax\r\nx = 1\ny = 2\rz = 3\n",
    "form feeds": b"import jax\n\x0c\nx = 1\n\x0c\n",
    "newer syntax": b"import jax\ntype A[T] = list[T]\ndef f[T](x: T) -> T: ...\nx = f'{f'{1}'}'\n",
    "no newline at the end": b"import jax",
    "a backslash at the end": b"import jax\nx = 1 + \\\n 2",
}


@pytest.mark.parametrize("name", FINE)
def test_unusual_but_valid_files(name, tmp_path):
    (tmp_path / "a.py").write_bytes(FINE[name])
    result = run(tmp_path, ".")
    check(result)
    assert "a.py" not in result.stdout


def test_positions_in_odd_texts(tmp_path):
    """Byte order mark, form feed and carriage returns shift nothing."""
    head = "\ufeffimport jax\r\n\x0c\r\n@jax.jit\r\ndef f(é, x):\r\n"
    text = head + "    é = 'ü'; y = not x + 1\r\n    return y\r\n"
    (tmp_path / "a.py").write_bytes(text.encode())
    assert "a.py:5:22: error[traced-if]" in run(tmp_path, ".").stdout


def test_positions_after_a_continued_line_without_a_begin(tmp_path):
    """LibCST drops the backslash when it writes its tree."""
    text = code("""
        \\
        import jax
        \\
        @jax.jit
        def f(x):
            return not x + 1
    """)
    (tmp_path / "a.py").write_text(text)
    assert "a.py:6:16: error[traced-if]" in run(tmp_path, ".").stdout


def test_a_generated_file_of_30000_lines(tmp_path):
    (tmp_path / "a.py").write_text("import jax\n" + "x = {'a': 1, 'b': [1, 2, 3]}\n" * 30_000)
    check(run(tmp_path, "."))


def test_a_directory_named_like_a_file_links_in_a_circle_and_missing_paths(tmp_path):
    (tmp_path / "x.py").mkdir()
    (tmp_path / "x.py" / "inner.py").write_text(FLAWED)
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere")
    check(run(tmp_path, "."), "x.py/inner.py:6:8")
    missing = run(tmp_path, "b.py", "no-such-file.py")
    assert missing.returncode == 2
    assert "no-such-file.py" in missing.stderr
    assert "Traceback" not in missing.stderr


def test_an_unreadable_file(tmp_path, monkeypatch):
    """Refused by the system, which a test by root can only feign; the rest is linted."""
    from gotcha_lint import engine
    from gotcha_lint.config.settings import Settings

    def refusing(path, *args, **options):
        if str(path) == paths[0]:
            raise PermissionError(13, "Permission denied")
        return opened(path, *args, **options)

    opened = open
    (tmp_path / "pyproject.toml").touch()
    paths = [str(tmp_path / "a.py"), str(tmp_path / "b.py")]
    for path in paths:
        Path(path).write_text(FLAWED)
    monkeypatch.setattr("builtins.open", refusing)
    findings = engine.lint(paths, lambda path: Settings()).findings
    assert [f.name for f in findings] == ["unreadable-file", "traced-if"]
    assert "Permission denied" in findings[0].message


def test_a_file_that_vanishes(tmp_path):
    """Between the listing and the reading; the rest is linted."""
    from gotcha_lint import engine
    from gotcha_lint.config.settings import Settings

    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "b.py").write_text(FLAWED)
    paths = [str(tmp_path / "a.py"), str(tmp_path / "b.py")]
    findings = engine.lint(paths, lambda path: Settings()).findings
    assert [f.name for f in findings] == ["unreadable-file", "traced-if"]


def test_unknown_names_and_malformed_configuration(tmp_path):
    result = run(tmp_path, "--select", "traced-iff", ".")
    assert result.returncode == 2
    assert "traced-if" in result.stderr
    for text in (
        "[tool.gotcha\n",
        "[tool.gotcha]\nselct = ['all']\n",
        "[tool.gotcha]\nselect = 3\n",
    ):
        (tmp_path / "c").mkdir(exist_ok=True)
        (tmp_path / "c" / "pyproject.toml").write_text(text)
        (tmp_path / "c" / "d.py").write_text(FLAWED)
        result = run(tmp_path, "c/d.py")
        assert result.returncode == 2
        assert "pyproject.toml" in result.stderr
        assert "Traceback" not in result.stderr


def test_what_python_warns_of_is_not_ours_to_say(tmp_path):
    """`"\\d"` is a SyntaxWarning since 3.12, and a DeprecationWarning before."""
    (tmp_path / "a.py").write_text(
        'import jax\nx = {"\\d": 1}["\\d" "\\w"]\n\ndef f(x: "\\d"): ...\n'
    )
    (tmp_path / "c.py").write_text('import jax\nx = "\\d"\ny = 0777\n')
    result = run(tmp_path, "--no-cache", ".", python=["-W", "error"])
    check(result, "c.py:3:5: error[syntax-error] not valid Python: leading zeros")
    assert "SyntaxWarning" not in result.stderr and "invalid escape" not in result.stderr


def test_a_closed_output_pipe(tmp_path):
    (tmp_path / "b.py").write_text(FLAWED)
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        [sys.executable, "-m", "gotcha_lint", "b.py"],
        cwd=tmp_path,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.wait(60)


def test_interrupted(tmp_path):
    """Ctrl-C ends the run at once, quietly, with 130."""
    import signal
    import time

    for number in range(60):
        (tmp_path / f"m{number}.py").write_text(
            "import jax\n" + "x = {'a': 1, 'b': [1, 2]}\n" * 3000
        )
    (tmp_path / "pyproject.toml").touch()
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        [sys.executable, "-m", "gotcha_lint", "."],
        cwd=tmp_path,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's `&` ignores it
    )
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert b"Traceback" not in errors
    assert process.returncode in (130, -signal.SIGINT)  # shells show both as 130


def test_fixes_keep_encoding_line_ends_and_permissions(tmp_path):
    comment = "# gotcha: allow[traced-if] nothing here: \u00e9\r\n"
    text = f"# coding: latin-1\r\nimport jax\r\n{comment}x = 1\r\n"
    path = tmp_path / "a.py"
    path.write_bytes(text.encode("latin-1"))
    path.chmod(0o751)
    run(tmp_path, "--fix", "a.py")
    assert path.read_bytes() == "# coding: latin-1\r\nimport jax\r\nx = 1\r\n".encode("latin-1")
    assert stat.S_IMODE(path.stat().st_mode) == 0o751


def test_a_chain_just_below_the_limit_costs_no_other_file(tmp_path):
    """Its tree is written by recursion, which CPython 3.12 bounds in C: a finding at worst."""
    chain = "import jax\n\n\n@jax.jit\ndef f(a):\n    if a" + " + a" * 790 + ":\n        return a\n"
    (tmp_path / "a.py").write_text(chain)
    check(run(tmp_path, "."), "a.py:")
