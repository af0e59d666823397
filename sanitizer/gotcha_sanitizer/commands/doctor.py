"""`gotcha-sanitize doctor`: what works with this Python and this JAX."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click

from gotcha_lint import __version__
from gotcha_lint.output import terminal
from gotcha_sanitizer import old_python
from gotcha_sanitizer.values.words import listed

_OLDEST = (0, 10)
_OPTIONAL = {
    "flax": "",
    "optax": "",
    "equinox": "",
    "orbax-checkpoint": "",
    "pytest": "the plugin `--gotcha`",
    "ipython": "the notebook extension",
}


@dataclass(frozen=True)
class Line:
    """One thing looked at. `state`: ok, off (this Python has it not), or wrong."""

    what: str
    state: str
    text: str
    internal: bool = False  # a name of JAX's own: shown where it is gone, or with `-v`
    newer_python: bool = False  # off, until the program runs on a newer Python


@click.command(epilog="Exit codes: 0 everything that can work here works, 1 something does not.")
@click.option("--verbose", "-v", is_flag=True, help="Also each name of JAX's own that is used.")
def command(verbose: bool) -> int:
    """Say what works here, and what to do where something does not."""
    lines = [line for look in LOOKS for line in look()]
    wide = terminal.is_terminal(sys.stdout) or os.environ.get("COLUMNS")
    columns = terminal.width(sys.stdout) if wide else sys.maxsize
    terminal.out(rendered(lines if verbose else _brief(lines), columns))
    return int(any(line.state == "wrong" for line in lines))


def _brief(lines: list[Line]) -> list[Line]:
    """One line for all names of JAX's own that are there."""
    there = [line for line in lines if line.internal and line.state == "ok"]
    kept = [line for line in lines if line not in there]
    if not there:
        return kept
    summary = Line("JAX's internals", "ok", f"{len(there)} names are there (-v lists them)")
    return [*kept[: (at := lines.index(there[0]))], summary, *kept[at:]]


def rendered(lines: list[Line], columns: int = sys.maxsize) -> str:
    """A line for each thing looked at, wrapped at so many columns, and a last one that sums up."""
    width = max(len(line.what) for line in lines)
    marks = {"ok": "ok   ", "off": "off  ", "wrong": "WRONG"}
    shown = [
        wrapped
        for line in lines
        for wrapped in textwrap.wrap(
            f"{marks[line.state]}  {line.what:<{width}}  {line.text}",
            columns,
            subsequent_indent=" " * (width + 9),
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]
    ends = []
    if any(line.what == "jax" and line.state == "off" for line in lines):
        ends.append("JAX is not installed here: install the sanitizer where your program runs")
    if wrong := sum(line.state == "wrong" for line in lines):
        ends.append(f"{wrong} of {len(lines)} need{'s' * (wrong == 1)} attention")
    if not ends:
        newer = [line.what for line in lines if line.newer_python]
        without = f", except {listed(newer)}: these need Python 3.12" if newer else ""
        ends.append(f"it works here{without}")
    return "\n".join([*shown, *textwrap.wrap("; ".join(ends), columns)]) + "\n"


def _python() -> Iterator[Line]:
    yield Line("python", "ok", f"{platform.python_version()} ({sys.executable})")
    yield Line("gotcha", "ok", __version__)


def _monitoring() -> Iterator[Line]:
    if sys.version_info < (3, 12):
        for feature, why in old_python.UNSEEN.items():
            yield Line(old_python.BRIEF[feature], "off", why, newer_python=True)
        return
    free = [i for i in range(6) if sys.monitoring.get_tool(i) is None]
    if free:
        yield Line("sys.monitoring", "ok", f"{len(free)} of 6 tool IDs are free")
    else:
        yield Line("sys.monitoring", "wrong", "other tools hold all tool IDs")


def _jax() -> Iterator[Line]:
    try:
        import jax
    except Exception as error:  # a broken installation raises all kinds
        if isinstance(error, ModuleNotFoundError) and error.name == "jax":
            yield Line("jax", "off", "not installed here")
        else:
            yield Line("jax", "wrong", f"cannot be imported: {type(error).__name__}: {error}")
        return
    old = _numbers(jax.__version__) < _OLDEST
    text = f"{jax.__version__}: older than 0.10" if old else jax.__version__
    yield Line("jax", "wrong" if old else "ok", text)


def _private() -> Iterator[Line]:
    try:
        import jax
    except Exception:  # `_jax` has said so
        return
    yield from private_names(jax)


def private_names(jax: Any) -> Iterator[Line]:
    """Every name of JAX's own that a feature needs."""
    from gotcha_sanitizer.hooks import self_tests
    from gotcha_sanitizer.hooks.jaxpr import jaxprs

    names = (*self_tests.NAMES, *jaxprs.NAMES)
    missing = self_tests.self_test(jax, names)
    for name in names:
        lost = missing.get(name.feature)
        text = f"not there: {lost}" if lost else ""
        yield Line(name.feature, "wrong" if lost else "ok", text, internal=True)


def _numbers(text: str) -> tuple[int, ...]:
    parts = (part for part in text.split(".")[:2])
    return tuple(int(part) if part.isdigit() else 0 for part in parts)


def _start_up() -> Iterator[Line]:
    found = [path for path in map(Path, sys.path) if (path / "gotcha_sanitizer.pth").is_file()]
    where = f"gotcha_sanitizer.pth in {found[0]}" if found else "no gotcha_sanitizer.pth"
    if starts():
        yield Line("start-up", "ok", f"GOTCHA_SANITIZE=1 python ... works ({where})")
        return
    text = f"GOTCHA_SANITIZE=1 alone does nothing ({where}): `gotcha-sanitize run train.py` works"
    yield Line("start-up", "wrong", text)


def starts() -> bool:
    """Whether the variable alone starts the sanitizer: tried, in a process that imports nothing."""
    code = "import sys; sys.exit('gotcha_sanitizer._startup' not in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "GOTCHA_SANITIZE": "1"},
        capture_output=True,
        timeout=60,
    )
    return done.returncode == 0


def _optional() -> Iterator[Line]:
    for name, use in _OPTIONAL.items():
        try:
            found, state = version(name), "ok"
        except PackageNotFoundError:
            found, state = "not installed", "off"
        yield Line(name, state, f"{found}: {use}" if use else found)


# The first three decide whether anything works.
LOOKS: tuple[Callable[[], Iterator[Line]], ...] = (
    _start_up,
    _jax,
    _python,
    _monitoring,
    _private,
    _optional,
)
