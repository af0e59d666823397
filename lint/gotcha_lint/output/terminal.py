"""What standard output and error can show, and how to write to them without surprises."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from typing import Any, TextIO

_NARROW, _PROSE = 40, 100  # longer lines of prose are hard to read
PIPE, PIPE_SOURCE = 88, 320  # where nothing says how wide the reader's screen is


def wants_colour(choice: str, stream: TextIO, env: Mapping[str, str] = os.environ) -> bool:
    """`--color` first, then NO_COLOR, FORCE_COLOR, TERM=dumb, and whether it is a terminal."""
    if choice != "auto":
        return choice == "always"
    if env.get("NO_COLOR"):
        return False
    if env.get("FORCE_COLOR", "0") not in ("", "0", "false"):
        return True
    return env.get("TERM") != "dumb" and is_terminal(stream)


def is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def width(stream: TextIO, env: Mapping[str, str] = os.environ) -> int:
    """Columns to wrap prose at: those of `COLUMNS` or of the terminal, within reason."""
    return max(_NARROW, min(_columns(stream, env) or PIPE, _PROSE))


def source_width(stream: TextIO, env: Mapping[str, str] = os.environ) -> int:
    """Columns that a source line may take: all that there are; many in a pipe."""
    return max(_NARROW, _columns(stream, env) or PIPE_SOURCE)


def _columns(stream: TextIO, env: Mapping[str, str]) -> int:
    """0 where nothing says so: in a pipe, without `COLUMNS`."""
    given = env.get("COLUMNS", "")
    if given.isascii() and given.isdigit() and int(given) > 0:
        return int(given)
    return shutil.get_terminal_size((PIPE, 24)).columns if is_terminal(stream) else 0


def local_page(name: str) -> str:
    """The address of a gotcha's page on this machine, for a link in a terminal."""
    from gotcha_lint import pages

    file = pages.path(name)
    return file.absolute().as_uri() if file else ""


def out(text: str) -> None:
    """Prints text; what the stream's encoding lacks is written as an escape."""
    write_bytes(text.encode(sys.stdout.encoding or "utf-8", "backslashreplace"))


def write_bytes(data: bytes) -> None:
    """Writes to standard output, with no change of line ends."""
    binary: Any = getattr(sys.stdout, "buffer", None)
    sys.stdout.flush()
    if binary is None:  # replaced, by a test or an editor
        sys.stdout.write(data.decode("utf-8", "replace"))
        return
    binary.write(data)
    binary.flush()


def error(text: str) -> None:
    """One line on standard error, under the program's name."""
    note(f"gotcha-lint: {' '.join(text.split())}")


def note(text: str) -> None:
    """A line on standard error; does nothing when standard error is closed."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    try:
        print(text.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)
    except (OSError, ValueError, AttributeError):
        return


def close_quietly() -> None:
    """After a broken pipe: the interpreter's own flush at exit must not complain."""
    try:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
    except (OSError, ValueError):
        return
