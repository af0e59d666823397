"""The command line and a session in this process, and programs in processes of their own."""

from __future__ import annotations

import importlib
import linecache
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gotcha_sanitizer.cli import main
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run import session
from gotcha_sanitizer.run.session import Session
from tests.sanitizer.processes import HEAD, Done
from tests.sanitizer.support import SOURCES


@pytest.fixture
def cli(tmp_path: Path, capsys: Any, monkeypatch: Any) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    linecache.clearcache()  # `src/train.py` is another file in each test's folder

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture(autouse=True, scope="session")
def own_cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Programs of the tests keep their records (`report --last`) out of the developer's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOTCHA_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True)
def no_compile_cache() -> Iterator[None]:
    """Other tests of this process may have set one, which would be a finding here."""
    jax = sys.modules.get("jax")
    folder = jax.config.jax_compilation_cache_dir if jax is not None else None
    if jax is None or folder is None:
        yield
        return
    _keep_programs_in(jax, None)
    yield
    _keep_programs_in(jax, folder)


def _keep_programs_in(jax: Any, folder: str | None) -> None:
    """JAX opens the folder at its first compile, and goes on with it whatever is set later."""
    jax.config.update("jax_compilation_cache_dir", folder)
    importlib.import_module("jax.experimental.compilation_cache.compilation_cache").reset_cache()


@pytest.fixture
def running() -> Iterator[Session]:
    """A session that watches this process, with default options."""
    session.start().stop()
    watching = session.start(Options(quiet=True))
    yield watching
    watching.stop()


def _heeds_interrupts() -> None:
    """A shell lets what it starts in the background ignore SIGINT, and children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def go(tmp_path: Path) -> Callable[..., Done]:
    (tmp_path / "site").mkdir()
    start = "from gotcha_sanitizer._startup import start; start()\n"
    (tmp_path / "site" / "sitecustomize.py").write_text(start)

    def run(body: str, options: str = "", head: str = HEAD, on: bool | str = True, args=()) -> Done:
        program = tmp_path / "prog.py"
        program.write_text(head + textwrap.dedent(body))
        settings = {
            "PYTHONPATH": os.pathsep.join((str(tmp_path / "site"), SOURCES)),
            "GOTCHA_SANITIZE": "1" if on is True else on or "",
            "GOTCHA_OPTIONS": f"color=never:{options}",
            "JAX_PLATFORMS": "cpu",
            "PYTHONUNBUFFERED": "1",
        }
        done = subprocess.run(
            [sys.executable, *(args or ["prog.py"])],
            cwd=tmp_path,
            env=os.environ | settings,
            capture_output=True,
            text=True,
            timeout=120,
            preexec_fn=_heeds_interrupts,
        )
        return Done(done.returncode, done.stdout, done.stderr, tmp_path)

    return run
