"""The numbers of a bench as a table and as JSON."""

from __future__ import annotations

import dataclasses
import datetime
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.trainer.row import Row
from benchmarks.trainer.supervise import Measured, elsewhere
from reference_trainer.config import ConfigError

VERDICTS = {None: "", True: "[green]met", False: "[red]NOT MET"}


def show(about: dict[str, Any], found: Sequence[Measured]) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:  # wide enough for the notes
        console = Console(highlight=False, width=150)
    console.print(table(found))
    console.print(f"{about['devices']} x {about['device']}: {summary(found)}")
    if absent := elsewhere(about["platform"]):
        console.print(f"not measured on this platform: {', '.join(absent)}")


def table(found: Iterable[Measured]) -> Table:
    shown = Table("", "value", "target", "", "note")
    for measured in found:
        shown.add_section()
        shown.add_row(f"[bold]{measured.family}")
        for row in measured.rows:
            cells = (row.name, number(row), row.target)
            shown.add_row(*map(escape, cells), VERDICTS[row.met], escape(row.note))
    return shown


def number(row: Row) -> str:
    """With three digits that count."""
    if row.value is None:
        return "not measured"
    if not math.isfinite(row.value) or row.value == round(row.value):
        return f"{row.value:,g} {row.unit}"
    digits = max(2 - math.floor(math.log10(abs(row.value))), 0)
    shown = f"{row.value:.1e}" if abs(row.value) < 1e-3 else f"{row.value:,.{digits}f}"
    return f"{shown} {row.unit}"


def summary(found: Sequence[Measured]) -> str:
    rows = [row for measured in found for row in measured.rows]
    met = [row.met for row in rows if row.met is not None]
    missing = sum(row.value is None for row in rows)
    seconds = sum(measured.seconds for measured in found)
    return f"{sum(met)} of {len(met)} targets met, {missing} not measured, {seconds:.0f} s"


def write(path: Path, about: dict[str, Any], found: Sequence[Measured]) -> None:
    """ConfigError where the file cannot be written."""
    rows = [
        {"family": measured.family, **dataclasses.asdict(row), "met": row.met}
        for measured in found
        for row in measured.rows
    ]
    seconds = {measured.family: round(measured.seconds, 1) for measured in found}
    content = {
        "date": datetime.date.today().isoformat(),
        **about,
        "rows": rows,
        "seconds": seconds,
        "not_measured": elsewhere(about["platform"]),
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"--json {path}: {error.strerror}") from error
