"""Tables and JSON of what was planted and found."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.planted.program import AS_WRITTEN


class Row(NamedTuple):
    """One planted program."""

    host: str
    name: str
    variant: str
    found: bool
    at_line: bool
    others: tuple[str, ...]
    shown: bool | None
    symptom: str

    @property
    def title(self) -> str:
        return f"{self.host}: {self.name}, {self.variant}"


Rows = Mapping[str, Sequence[Row]]


def line(rule: str, rows: Sequence[Row]) -> str:
    """One rule: found of planted, then what was missed and what did not show."""
    found, hosts = sum(row.found for row in rows), len({row.host for row in rows})
    run = [row for row in rows if row.shown is not None]
    share = 100 * found / max(len(rows), 1)
    head = f"{rule:<30} {found:>3} of {len(rows):>3} {share:>4.0f}%  {hosts} hosts"
    shown = f", {sum(bool(row.shown) for row in run)} of {len(run)} shown" if run else ""
    missed = [f"    missed  {row.title}" for row in rows if not row.found]
    quiet = [f"    not shown  {row.title}: {row.symptom[:160]}" for row in run if not row.shown]
    return "\n".join([head + shown, *missed, *quiet])


def summary(rows: Rows, alarms: Sequence[str]) -> str:
    every = [row for group in rows.values() for row in group]
    found = sum(row.found for row in every)
    lines = [f"all: {found} of {len(every)} found, {len(rows)} rules"]
    lines.append(f"on clean hosts: {len(alarms)} findings")
    return "\n".join(lines + [f"    {alarm}" for alarm in alarms])


def as_data(rows: Sequence[Row], before: Mapping[str, Any]) -> dict[str, Any]:
    """One rule's results, sorted. What was not run now keeps what was seen `before`."""
    old = before.get("faults", {})
    written = [row for row in rows if row.shown is not None or row.variant == AS_WRITTEN]
    faults = {_fault(row): _seen(row, old.get(_fault(row), {})) for row in written}
    return {
        "planted": len(rows),
        "found": sum(row.found for row in rows),
        "at_the_line": sum(row.at_line for row in rows),
        "hosts": sorted({row.host for row in rows}),
        "missed": sorted(row.title for row in rows if not row.found),
        "also_found": sorted({name for row in rows for name in row.others}),
        "faults": dict(sorted(faults.items())),
    }


def _fault(row: Row) -> str:
    return row.title.removesuffix(f", {AS_WRITTEN}")


def _seen(row: Row, old: Mapping[str, Any]) -> dict[str, Any]:
    if row.shown is None and old.get("symptom", "").startswith(row.symptom):
        return dict(old)
    return {"symptom": row.symptom, "shown": row.shown}


def kept(file: Path) -> dict[str, Any]:
    """The results of before."""
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"rules": {}}


def keep(file: Path, data: Mapping[str, Any]) -> None:
    """Without times or places of this machine."""
    sorted_rules = dict(sorted(data["rules"].items()))
    text = json.dumps({**data, "rules": sorted_rules}, indent=1, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")
