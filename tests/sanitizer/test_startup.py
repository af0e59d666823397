"""What is known of .pth files, each with the built wheel in an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gotcha_sanitizer import _startup
from gotcha_sanitizer.run.record import fold, read

ROOT = Path(__file__).parents[2]
LINE = (ROOT / "sanitizer" / "gotcha_sanitizer.pth").read_text()
START = (ROOT / "sanitizer" / "gotcha_sanitizer.start").read_text()
OURS = "import sys; print([m for m in sys.modules if 'gotcha' in m or m == 'jax'])"


@dataclass(frozen=True)
class Environment:
    python: str
    packages: Path
    scripts: Path

    def __call__(self, *arguments: str, python: str = "", **env: str) -> tuple[int, str, str]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "GOTCHA"))}
        done = subprocess.run(
            [python or self.python, *arguments],
            env=clean | {"JAX_PLATFORMS": "cpu"} | env,
            capture_output=True,
            text=True,
            timeout=120,
        )
        return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel, installed; everything else is taken from the environment of the tests."""
    folder = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    _quietly(build)
    home = folder / "venv"
    _quietly([sys.executable, "-m", "venv", "--without-pip", str(home)])
    python = str(home / "bin" / "python")
    wheel = str(next(folder.glob("*.whl")))
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps"]
    _quietly([*pip, wheel])
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(_quietly([python, "-c", where]).strip())
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Environment(python, packages, home / "bin")


def _quietly(command: list[str]) -> str:
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout


def test_the_line_stands_alone_and_guards_itself():
    """Text that scanners and people can read: the variable is asked before anything is imported."""
    (line,) = LINE.splitlines()
    first, _, rest = line.partition("; ")
    assert first == "import os"
    assert rest.startswith('os.environ.get("GOTCHA_SANITIZE", "0") not in ("", "0") and ')


def test_start_file_names_the_same_function():
    """Python 3.15 reads the .start file, and then leaves the .pth of the same name alone."""
    module, _, function = START.strip().partition(":")
    assert (module, getattr(_startup, function)) == (_startup.__name__, _startup.start)
    assert module in LINE and f".{function}()" in LINE


@pytest.mark.parametrize("value", [None, "", "0"])
def test_off_loads_nothing(venv: Environment, value: str | None):
    env = {} if value is None else {"GOTCHA_SANITIZE": value}
    assert venv("-c", OURS, **env) == (0, "[]\n", "")


def test_off_is_as_if_it_were_not_installed(venv: Environment):
    code = "import sys; print(sorted(sys.modules), sys.meta_path)"
    with_it = venv("-c", code)
    file = venv.packages / "gotcha_sanitizer.pth"
    text = file.read_text()
    file.unlink()
    try:
        assert venv("-c", code) == with_it
    finally:
        file.write_text(text)


def test_on_waits_for_jax(venv: Environment):
    code = "import sys; print('gotcha_sanitizer.run.session' in sys.modules, 'jax' in sys.modules)"
    assert venv("-c", code, GOTCHA_SANITIZE="1") == (0, "True False\n", "")


def test_twice_is_once(venv: Environment):
    """`site` reads the .pth files of a virtual environment twice."""
    counter = venv.packages / "counter.pth"
    counter.write_text("import sys; sys.read = getattr(sys, 'read', 0) + 1\n")
    code = (
        "import sys; from gotcha_sanitizer.hooks.when_imported import _Watch;"
        "print(sys.read, sum(isinstance(f, _Watch) and f.name == 'jax' for f in sys.meta_path))"
    )
    try:
        _, out, err = venv("-c", code, GOTCHA_SANITIZE="1")
    finally:
        counter.unlink()
    read, watches = out.split()
    assert watches == "1", err
    if sys.version_info < (3, 14):
        assert read == "2"


@pytest.mark.parametrize(
    ("option", "started"), [("-I", True), ("-E", True), ("-s", True), ("-S", False)]
)
def test_where_it_is_read(venv: Environment, option: str, started: bool):
    """Only -S keeps Python from it: -I and -E hide variables that begin with PYTHON."""
    code = "import sys; print('gotcha_sanitizer._startup' in sys.modules)"
    _, out, err = venv(option, "-c", code, GOTCHA_SANITIZE="1")
    assert out == f"{started}\n", err


def test_a_folder_of_pythonpath_is_not_read(venv: Environment):
    env = {"PYTHONPATH": str(venv.packages), "GOTCHA_SANITIZE": "1"}
    base = os.path.realpath(venv.python)
    code = "import sys, gotcha_sanitizer; print('gotcha_sanitizer._startup' in sys.modules)"
    assert venv("-c", code, python=base, **env) == (0, "False\n", "")


@pytest.fixture
def broken(venv: Environment) -> Iterator[Callable[[str], object]]:
    """Puts other text into the installed run/session.py, for one test."""
    file = venv.packages / "gotcha_sanitizer" / "run" / "session.py"
    text = file.read_text()
    yield file.write_text
    file.write_text(text)


@pytest.mark.parametrize("text", ["raise RuntimeError('broken')", "x = = 1", ""])
def test_an_error_is_one_line(venv: Environment, broken: Callable[[str], object], text: str):
    broken(text)
    code, out, err = venv("-c", "print('ran')", GOTCHA_SANITIZE="1")
    assert (code, out) == (0, "ran\n")
    (line,) = err.splitlines()
    assert line.startswith("gotcha: the sanitizer did not start: ")
    assert venv("-c", "print('ran')") == (0, "ran\n", "")


PROGRAM = """
import multiprocessing, sys
import jax, jax.numpy as jnp

def work(start):
    step = jax.jit(lambda x: x * 2)
    for i in range(5):
        step(jnp.ones(start + 3 * i))

if __name__ == "__main__":
    work(7)
    if sys.argv[1:]:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            pool.map(work, [int(sys.argv[1])])
            pool.close()
            pool.join()
"""


def test_the_variable_alone_is_enough(venv: Environment, tmp_path: Path):
    program = tmp_path / "train.py"
    program.write_text(PROGRAM)
    options = f"log_path={tmp_path}/run.%p.jsonl"
    settings = {"GOTCHA_SANITIZE": "1", "GOTCHA_OPTIONS": options}
    code, out, err = venv(str(program), "11", **settings)
    assert (code, out) == (0, "")
    assert "gotcha: " in err and "recompile (shape)" in err
    shapes = {
        tuple(p["shapes"] for p in run.programs if p["function"].endswith("<lambda>"))[:1]
        for run in (fold(read(path)) for path in tmp_path.glob("run.*.jsonl"))
    }
    assert {("x: float32[7]",), ("x: float32[11]",)} <= shapes


def test_a_users_own_modules_are_safe(venv: Environment, tmp_path: Path):
    """His `lint.py`, `sanitizer.py`, `checks.py` and `hooks.py` are his."""
    for name in ("lint", "sanitizer", "checks", "hooks", "record", "session"):
        (tmp_path / f"{name}.py").write_text(f"mine = {name!r}")
    program = tmp_path / "train.py"
    program.write_text("import lint, sanitizer, checks, hooks, record, session, jax\nprint('ran')")
    code, out, err = venv(str(program), GOTCHA_SANITIZE="1")
    assert (code, out) == (0, "ran\n"), err


def test_the_command_is_installed(venv: Environment, tmp_path: Path):
    program = tmp_path / "train.py"
    program.write_text(
        "import sys; print(sys.argv[1:], 'gotcha_sanitizer.run.session' in sys.modules)"
    )
    script = str(venv.scripts / "gotcha-sanitize")
    code, out, err = venv("run", str(program), "--lr", "1", python=script)
    assert (code, out, err) == (0, "['--lr', '1'] True\n", "")
    code, out, _ = venv("doctor", python=script)
    assert code == 0, out
    assert "GOTCHA_SANITIZE=1 python ... works" in out
