"""Reading the records that commands are given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from gotcha_sanitizer.run.os_errors import in_words
from gotcha_sanitizer.run.record import Run, fold, read

RECORD = click.Path(path_type=Path)  # read() says what is wrong with it, and what to do


def load(path: Path) -> Run:
    """Raises BadRecord."""
    return fold(read(path))


def publish(text: str, file: Path | None = None) -> None:
    """To standard output, or whole to a file. Raises click.FileError."""
    from gotcha_lint.output import terminal

    if file is None:
        terminal.out(text)
        return
    unfinished = file.with_name(file.name + ".part")
    try:
        unfinished.write_text(text, "utf-8")
        unfinished.replace(file)
    except OSError as error:
        raise click.FileError(str(file), in_words(error)) from error


def process_table(runs: Sequence[tuple[Path, Run]]) -> str:
    """What each process compiled and what was found in it."""
    from gotcha_sanitizer.values.rows import STAGES
    from gotcha_sanitizer.values.words import seconds

    lines = [f"{len(runs)} records", f"  {'pid':>8}  compiles  compiling  findings  record"]
    for path, run in runs:
        spent = seconds(sum(run.total(stage) for stage in STAGES))
        end = "" if run.complete else " (no end: killed, or still running)"
        lines.append(
            f"  {run.start.get('pid', '?'):>8}  {run.count('compiles'):>8}  {spent:>9}"
            f"  {len(run.problems):>8}  {path}{end}"
        )
    return "\n".join(lines) + "\n\n"
