"""What a tool says, read from gotcha's JSON, SARIF, and the JSON of ruff and jaxlint."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from benchmarks.faults.labels import PROGRAMS


@dataclass(frozen=True)
class Spot:
    path: str  # relative to `programs/`
    line: int
    end_line: int
    cell: int | None = None


@dataclass(frozen=True)
class Report:
    """One finding. `others`: further places that it names, such as the steps of a chain."""

    code: str
    spot: Spot
    is_note: bool = False
    others: tuple[Spot, ...] = field(default=())


def gotcha(data: Any) -> Iterator[Report]:
    """`gotcha-lint --output-format json`."""
    for row in data:
        yield Report(
            row["name"],
            _spot(row["path"], row["line"], row.get("end_line"), row.get("cell")),
            row.get("severity") == "info",
            tuple(
                _spot(step["path"], step["line"], None, step.get("cell"))
                for step in row.get("chain", ())
            ),
        )


def sarif(data: Any) -> Iterator[Report]:
    """SARIF 2.1.0, the format that most tools can write."""
    for run in data["runs"]:
        for row in run.get("results", ()):
            spots = [_of_sarif(each) for each in row.get("locations", ())]
            others = [_of_sarif(each) for each in row.get("relatedLocations", ())]
            known = [spot for spot in spots if spot]
            if known:
                yield Report(
                    row.get("ruleId", ""),
                    known[0],
                    row.get("level") in ("note", "none"),
                    tuple(spot for spot in (*known[1:], *others) if spot),
                )


def ruff(data: Any) -> Iterator[Report]:
    """`ruff check --output-format json`."""
    for row in data:
        end = row["end_location"]["row"]
        yield Report(row["code"], _spot(row["filename"], row["location"]["row"], end, row["cell"]))


def jaxlint(data: Any) -> Iterator[Report]:
    """`jaxlint check --format json`."""
    for row in data:
        yield Report(row["rule_id"], _spot(row["path"], row["line"], None, None))


READERS: dict[str, Callable[[Any], Iterator[Report]]] = {
    each.__name__: each for each in (gotcha, sarif, ruff, jaxlint)
}


def read(text: str, form: str) -> list[Report]:
    """The reports in a tool's output; those of files that are no programs of ours are left out.

    Raises ValueError where the text is not of that form.
    """
    try:
        return [each for each in READERS[form](json.loads(text)) if each.spot.path]
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(f"this is no output of the form `{form}`: {error!r}") from error


def _spot(path: str, line: int, end: int | None, cell: int | None) -> Spot:
    place = Path(path)
    place = (place if place.is_absolute() else PROGRAMS / place).resolve()
    inside = place.is_relative_to(PROGRAMS)
    name = place.relative_to(PROGRAMS).as_posix() if inside else ""
    return Spot(name, line, end or line, cell)


def _of_sarif(location: Any) -> Spot | None:
    physical = location.get("physicalLocation", {})
    region = physical.get("region")
    if not region:
        return None
    path = unquote(urlparse(physical["artifactLocation"]["uri"]).path)
    return _spot(path, region["startLine"], region.get("endLine"), None)
