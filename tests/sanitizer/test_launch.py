"""`python -m gotcha_sanitizer`, `gotcha-sanitize run`: no program can tell how it was started."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import zipfile
from dataclasses import fields
from pathlib import Path

import pytest

from gotcha_sanitizer.commands.run import HELP, joined
from gotcha_sanitizer.option_text import parse
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run.record import fold, read
from tests.sanitizer.support import SOURCES

PROGRAM = """
import sys, os
import __main__
print(sys.argv, __file__, __name__, __package__, sys.path[0], type(__loader__).__name__)
print(__spec__ and __spec__.name, sorted(globals()), __main__.__dict__ is globals())

def fail(n):
    if n == 0:
        raise ValueError("wrong")
    fail(n - 1)

def hook(kind, error, tb):
    print("HOOK", kind.__name__, tb.tb_frame.f_code.co_name, tb.tb_lineno)

match sys.argv[1:]:
    case ["exit"]: sys.exit(3)
    case ["message"]: sys.exit("goodbye")
    case ["raise"]: fail(2)
    case ["chain"]:
        try:
            fail(1)
        except ValueError as error:
            raise KeyError("a") from error
    case ["group"]: raise ExceptionGroup("several", [ValueError(1)])
    case ["interrupt"]: raise KeyboardInterrupt
    case ["hook"]:
        sys.excepthook = hook
        fail(1)
    case ["atexit"]:
        import atexit
        atexit.register(lambda: print("last", __name__, fail))
    case ["hard"]: os._exit(9)
"""
CASES = ["", "exit", "message", "raise", "chain", "group", "interrupt", "hook", "atexit", "hard"]
MODULE = "gotcha_sanitizer"


def outcome(*command: str, cwd: Path, **env: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": SOURCES, "JAX_PLATFORMS": "cpu"} | env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, re.sub(r" at 0x\w+", "", done.stdout), done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "package" / "inner").mkdir(parents=True)
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "__main__.py").write_text(PROGRAM)
    (tmp_path / "package" / "inner" / "program.py").write_text(PROGRAM)
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_a_script_runs_as_ever(folder: Path, case: str):
    arguments = ("program.py", *filter(None, [case]))
    expected = outcome(*arguments, cwd=folder)
    assert outcome("-m", MODULE, *arguments, cwd=folder) == expected
    assert "program.py" in expected[1]
    if case == "interrupt":
        assert expected[0] == -signal.SIGINT


@pytest.mark.parametrize("case", ["", "exit", "raise", "chain", "hook"])
@pytest.mark.parametrize("name", ["program", "package", "package.inner.program"])
def test_a_module_runs_as_ever(folder: Path, name: str, case: str):
    arguments = ("-m", name, *filter(None, [case]))
    assert outcome("-m", MODULE, *arguments, cwd=folder) == outcome(*arguments, cwd=folder)


@pytest.mark.parametrize("path", ["package/inner/program.py", "package", "link.py", "whole.pyz"])
def test_where_the_script_may_lie(folder: Path, path: str):
    (folder / "link.py").symlink_to(folder / "package" / "inner" / "program.py")
    with zipfile.ZipFile(folder / "whole.pyz", "w") as archive:
        archive.writestr("__main__.py", "import sys; print(sys.argv, __name__, sys.path[0])")
    assert outcome("-m", MODULE, path, "a", cwd=folder) == outcome(path, "a", cwd=folder)


def test_a_syntax_error_is_shown_as_ever(folder: Path):
    (folder / "bad.py").write_text("x = = 1\n")
    code, out, err = outcome("-m", MODULE, "bad.py", cwd=folder)
    assert (code, out, err) == outcome("bad.py", cwd=folder)
    assert "launch.py" not in err


def test_a_missing_program(folder: Path):
    code, _, err = outcome("-m", MODULE, "none.py", cwd=folder)
    expected = outcome("none.py", cwd=folder)
    assert (code, err.replace("'", "")) == (expected[0], expected[2].replace("'", ""))
    code, _, err = outcome("-m", MODULE, "-m", "nowhere.at_all", cwd=folder)
    assert code == 1 and "nowhere" in err and "Traceback" not in err


def test_usage(folder: Path):
    assert outcome("-m", MODULE, cwd=folder)[0] == 2
    assert outcome("-m", MODULE, "--wrong", cwd=folder)[0] == 2
    assert "usage" in outcome("-m", MODULE, "--help", cwd=folder)[1]


def test_modules_beside_the_script_do_not_shadow_ours(folder: Path):
    (folder / "pkgutil.py").write_text("raise SystemExit('shadowed')")
    (folder / "sub").mkdir()
    (folder / "sub" / "main.py").write_text("print('ran')")
    assert outcome("-m", MODULE, "sub/main.py", cwd=folder)[1] == "ran\n"


STORM = """
import sys, jax, jax.numpy as jnp
step = jax.jit(lambda x: x * 2)
if __name__ == "__main__":
    for n in (3, 5, 6, 7, 9):
        step(jnp.ones(n))
    print("done", sys.argv[1:])
"""


@pytest.mark.parametrize("module", [False, True])
@pytest.mark.parametrize("how", ["launch", "command", "no site"])
def test_watches_the_program(tmp_path: Path, how: str, module: bool):
    (tmp_path / "storm.py").write_text(STORM)
    program = ("-m", "storm", "--flag") if module else ("storm.py", "--flag")
    options = {"GOTCHA_OPTIONS": f"log_path={tmp_path}/run.jsonl"}
    if how == "command":
        own = ("run", "--log-path", "run.jsonl", "--html", "out/run.html", "--quiet")
        command, options = ("-m", "gotcha_sanitizer.cli", *own, *program), {}
    elif how == "launch":
        command = ("-m", MODULE, *program)
    else:  # no .pth is read, and no site-packages either
        packages = os.pathsep.join((SOURCES, *(p for p in sys.path if "site-packages" in p)))
        command, options = ("-S", "-m", MODULE, *program), {**options, "PYTHONPATH": packages}
    code, out, err = outcome(*command, cwd=tmp_path, **options)
    assert (code, out) == (0, "done ['--flag']\n"), err
    run = fold(read(tmp_path / "run.jsonl"))
    (found,) = [f for f in run.problems if f.cause == "shape"]
    assert found.site and found.site.path == str(tmp_path / "storm.py") and found.site.line == 6
    stack = next(p for p in run.programs if p["function"] == "<lambda>")["stack"]
    assert [site[0] for site in stack] == [str(tmp_path / "storm.py")]
    if how == "command":
        assert err == ""
        assert "<!doctype html>" in (tmp_path / "out" / "run.html").read_text("utf-8")


def test_a_tracebacks_of_jax_is_unchanged(tmp_path: Path):
    (tmp_path / "bad.py").write_text(
        "import jax\n@jax.jit\ndef f(x):\n    if x > 0:\n        return x\nf(1.0)\n"
    )
    expected = outcome("bad.py", cwd=tmp_path)
    code, _, err = outcome("-m", MODULE, "bad.py", cwd=tmp_path, GOTCHA_OPTIONS="quiet=1")
    assert code == expected[0] == 1
    assert err.startswith(expected[2])


SPAWN = """
import multiprocessing, os

def work(n):
    import gotcha_sanitizer.auto
    import jax, jax.numpy as jnp
    step = jax.jit(lambda x: x * 2)
    for i in range(5):
        step(jnp.ones(n + 2 * i))
    return os.environ["GOTCHA_SANITIZE"], __name__

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(work, [3]))
        pool.close()
        pool.join()
"""


def test_worker_processes_inherit_the_settings(tmp_path: Path):
    (tmp_path / "spawn.py").write_text(SPAWN)
    command = ("-m", "gotcha_sanitizer.cli", "run", "--log-path", "run.%p.jsonl", "spawn.py")
    code, out, err = outcome(*command, cwd=tmp_path)
    assert (code, out) == (0, "[('1', '__mp_main__')]\n"), err
    records = [fold(read(path)) for path in tmp_path.glob("run.*.jsonl")]
    assert [len(run.problems) > 0 for run in records if run.programs] == [True]


def test_auto_starts_unless_it_is_off(tmp_path: Path):
    code = "import sys, gotcha_sanitizer.auto; print('gotcha_sanitizer.run.session' in sys.modules)"
    clean = {"GOTCHA_SANITIZE": "1"}
    assert outcome("-c", code, cwd=tmp_path, **clean)[1] == "True\n"
    assert outcome("-c", code, cwd=tmp_path, GOTCHA_SANITIZE="0")[1] == "False\n"


def test_every_option_is_a_flag():
    assert set(HELP) == {each.name for each in fields(Options)} - {"problems"}


def test_flags_come_after_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    given = {"log_path": "a:b.jsonl", "warmup": "5", "quiet": True, "html": None, "redact": False}
    options = parse(joined("warmup=3:exitcode=9", given))
    assert not options.problems
    assert (options.warmup, options.exitcode, options.quiet) == (5, 9, True)
    assert options.log_path == str(tmp_path / "a:b.jsonl")


def test_a_wrong_flag_is_told_before_the_program_runs(folder: Path):
    command = ("-m", "gotcha_sanitizer.cli", "run", "--warmup", "many", "program.py")
    code, out, err = outcome(*command, cwd=folder)
    assert code == 2 and out == ""
    assert "warmup" in err and "whole number" in err
