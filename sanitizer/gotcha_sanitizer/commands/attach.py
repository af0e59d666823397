"""`gotcha-sanitize attach PID`: starts the sanitizer in a program that runs already."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from gotcha_sanitizer.commands._runs import publish
from gotcha_sanitizer.run import idle

_CODE = "import sys; from gotcha_sanitizer.run.idle import begin; begin(sys._getframe(1))\n"


@click.command(epilog="`kill -USR1 PID` prints the report of the program so far.")
@click.argument("pid", type=click.IntRange(1))
def command(pid: int) -> int:
    """Start the sanitizer in a running program.

    The program was started with GOTCHA_SANITIZE=idle (on Linux), or both Pythons are 3.14 or later.
    """
    try:
        ready = idle.listens(pid)
    except OSError as error:
        raise click.ClickException(f"process {pid}: {error.strerror or error}") from error
    remote: Callable[[int, str], Any] | None = getattr(sys, "remote_exec", None)
    if ready:
        os.kill(pid, idle.NUMBER or 0)
    elif remote is not None:
        _execute(remote, pid)
    elif sys.platform != "linux":
        raise click.ClickException(
            f"whether process {pid} listens to SIGUSR2 can be asked on Linux only: elsewhere both "
            "Pythons have to be 3.14 or later"
        )
    else:
        raise click.ClickException(
            f"process {pid} does not listen to SIGUSR2, which would end it: start the program with "
            "GOTCHA_SANITIZE=idle (Python 3.14 needs no variable)"
        )
    publish(f"asked process {pid} to start the sanitizer; it says so on its standard error\n")
    return 0


def _execute(remote: Callable[[int, str], Any], pid: int) -> None:
    """Raises ClickException, as where the program's Python is older than 3.14."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False, encoding="utf-8") as file:
        file.write(_CODE)  # read by the other process later: it is left behind
    try:
        remote(pid, file.name)
    except Exception as error:
        Path(file.name).unlink()
        raise click.ClickException(f"process {pid}: {error}") from error
