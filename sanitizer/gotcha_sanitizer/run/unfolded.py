"""A run from the event that `folded` has made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gotcha_sanitizer.values.finding import from_dict
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.rows import STAGES, Inlined, Row, Sums
from gotcha_sanitizer.values.turn_counts import Counted

Json = dict[str, Any]


def restored(event: Mapping[str, Any]) -> Json:
    """The fields of a `Run` that take the place of all that it has, but its start."""
    busy, busy_until = event["busy"]
    return {
        "rows": {key: row for key, row in map(_read_row, event["rows"])},
        "inlined": {
            (path, line): Inlined(n, path, line, w) for n, path, line, w in event["inlined"]
        },
        "avals": dict(event["avals"]),
        "programs": list(event["programs"]),
        "memory": list(event["memory"]),
        "turns": {(path, line): Counted(*counted) for path, line, *counted in event["turns"]},
        "reads": {(each["path"], each["line"], each["how"]): each for each in event["reads"]},
        "findings": {each["id"]: from_dict(each) for each in event["findings"]},
        "degraded": dict(event["degraded"]),
        "host": dict(event["host"]),
        "busy": busy,
        "busy_until": busy_until,
    }


def _read_row(data: Mapping[str, Any]) -> tuple[tuple[str, str, int, str], Row]:
    own = {name: data[name] for name in ("function", "owner", "eager", "path", "line")}
    calls = {Site(*at): Sums(**_read_sums(sums)) for at, sums in data["calls"]}
    row = Row(**own, calls=calls, **_read_sums(data))
    kind = "" if row.owner == "user" else row.eager
    return (row.function, row.path, row.line, kind), row


def _read_sums(data: Mapping[str, Any]) -> Json:
    names = ("programs", "traces", "compiles", "cache_hits")
    seconds = dict.fromkeys(STAGES, 0.0) | data["seconds"]
    return dict(zip(names, data["counts"], strict=True)) | {
        "seconds": seconds,
        "causes": dict(data["causes"]),
    }
