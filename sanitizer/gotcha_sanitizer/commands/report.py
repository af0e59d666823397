"""`gotcha-sanitize report run.jsonl`: what a run, or its processes together, recorded."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import click

from gotcha_lint import __version__, formats
from gotcha_lint import finding as lint
from gotcha_lint.output import terminal
from gotcha_sanitizer.commands._runs import RECORD, load, process_table, publish
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run import last_runs
from gotcha_sanitizer.run.merge import merge
from gotcha_sanitizer.run.outcome import failing
from gotcha_sanitizer.run.record import Run
from gotcha_sanitizer.values.finding import Finding, as_lint
from gotcha_sanitizer.values.words import seconds

OWN = ("text", "json", "html")


def _names() -> list[str]:
    return [*OWN, *(name for name in formats.names() if name not in OWN)]


@click.command(
    epilog="Exit codes: 0, or 1 when --fail-on names a finding; notes (info) never fail."
)
@click.argument("records", nargs=-1, type=RECORD, metavar="RUN.jsonl...")
@click.option(
    "--last",
    is_flag=True,
    help="The last run in this folder, of which a small record is always kept.",
)
@click.option("--format", "form", type=click.Choice(_names()), help="Default: text.")
@click.option("--html", "page", type=click.Path(path_type=Path), help="Also write this page.")
@click.option(
    "--output-file", "-o", type=click.Path(path_type=Path), help="Write the output there."
)
@click.option(
    "--fail-on",
    default="never",
    show_default=True,
    metavar="NAMES",
    help="Exit with 1 for these: warning (errors too), error, names, or `recompile/shape`.",
)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@click.option("--max-lines", type=click.IntRange(20), default=50, show_default=True)
def command(
    records: tuple[Path, ...],
    last: bool,
    form: str | None,
    page: Path | None,
    output_file: Path | None,
    fail_on: str,
    color: str,
    max_lines: int,
) -> int:
    """Show the findings of recorded runs. Several records are merged into one list."""
    if bool(records) == last:
        raise click.UsageError("name the records of a run (RUN.jsonl), or use --last")
    runs = [(path, load(path)) for path in (records or [last_runs.newest()])]
    whole = merge([run for _, run in runs])
    if last:
        terminal.note(_which(whole))
    if page is not None:
        publish(_page(whole), page)
        terminal.note(f"wrote {page}")
    if page is None or form or output_file:
        colour = terminal.wants_colour(color, sys.stdout) and output_file is None
        on_terminal = output_file is None and terminal.is_terminal(sys.stdout)
        columns = shutil.get_terminal_size().columns if on_terminal else 0
        text = rendered(form or "text", whole, runs, colour, max_lines, columns)
        publish(text, output_file)
    return int(bool(_failing(whole, fail_on)))


def _which(run: Run) -> str:
    """`the run of train.py that began at 2026-11-27 20:54:01`."""
    program = os.path.basename(next(iter(run.start.get("argv", [])), "")) or "a program"
    began = datetime.fromtimestamp(float(run.start.get("time", 0.0)))
    return f"the run of {program} that began at {began:%Y-%m-%d %H:%M:%S}"


def rendered(
    form: str,
    whole: Run,
    runs: list[tuple[Path, Run]],
    colour: bool,
    max_lines: int = 50,
    columns: int = 0,
) -> str:
    """The run in one of the formats: ours, or the linter's. `columns`: of a terminal, else 0."""
    if form == "text":
        from gotcha_sanitizer.reporters import text

        head = process_table(runs) if len(runs) > 1 else ""
        options = Options(max_lines=max_lines, redact=bool(whole.start.get("redact")))
        asked = "--max-lines "
        return head + text.render(whole, options, colour, lines_option=asked, columns=columns)
    if form == "json":
        from gotcha_sanitizer.reporters import json

        return json.render(whole, [run for _, run in runs])
    if form == "html":
        return _page(whole)
    return formats.load(form)(shown(whole, colour))


def shown(run: Run, colour: bool = False) -> formats.Shown:
    """The findings of a run as the linter's formats are given them."""
    from gotcha_sanitizer.explain.rule_texts import rule_text

    source = (lambda _: None) if run.start.get("redact") else cache(_source)
    return formats.Shown(
        [_spoken(finding, source) for finding in (*run.problems, *run.notes)],
        source,
        rule_text,
        colour=colour,
        width=terminal.width(sys.stdout),
        version=__version__,
        root=os.getcwd(),
    )


def _spoken(finding: Finding, source: Callable[[str], formats.SourceText | None]) -> lint.Finding:
    """With the price and the cure in the message, as a linter's finding has no room for them."""
    plain = as_lint(finding)
    price = f" ({seconds(finding.seconds)} lost)" if finding.seconds >= 0.001 else ""
    cure = f"; {finding.advice}" if finding.advice else ""
    chain = tuple(_on_its_line(place, source) for place in plain.chain)
    return replace(_on_its_line(plain, source), message=finding.message + price + cure, chain=chain)


def _on_its_line(at: Any, source: Callable[[str], formats.SourceText | None]) -> Any:
    """A finding or a place, from the first to the last character of its line."""
    at = replace(at, path=_below(at.path))
    text = source(at.path)
    lines = text.lines() if text else ()
    line = str(lines[at.line - 1]).rstrip() if 0 < at.line <= len(lines) else ""
    if not line:
        return at
    start = len(line) - len(line.lstrip()) + 1
    return replace(at, column=start, end_line=at.line, end_column=len(line) + 1)


def _below(path: str) -> str:
    """Relative to the working directory if it lies there, as the linter's findings are."""
    root = os.getcwd() + os.sep
    return path.removeprefix(root)


def _source(path: str) -> formats.SourceText | None:
    from gotcha_lint.text import source
    from gotcha_lint.text.unreadable import Unreadable

    try:
        return source.read(path)
    except Unreadable:
        return None


def _page(run: Run) -> str:
    from gotcha_sanitizer.reporters import html

    return html.render(run)


def _failing(run: Run, fail_on: str) -> list[Finding]:
    words = {word.strip() for word in fail_on.split(",") if word.strip()} - {"never"}
    if not words:
        return []
    if "warning" in words:
        words.add("error")
    return failing(run.problems, Options(fail_on=tuple(words)))
