"""The findings in a record of the sanitizer: its JSON lines are all that the linter knows of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gotcha_lint.config.options import UsageError


@dataclass(frozen=True)
class Seen:
    """A finding of a run, and when the run began."""

    data: Mapping[str, Any]
    began: float

    @property
    def seconds(self) -> float:
        return float(self.data.get("seconds", 0.0))

    @property
    def cause(self) -> str:
        cause = self.data.get("cause", "")
        return f"{self.data['name']}/{cause}" if cause else self.data["name"]

    @cached_property
    def places(self) -> tuple[tuple[str, int], ...]:
        places = (self.data, *self.data.get("chain", ()))
        return tuple((place["path"], place["line"]) for place in places)

    def confirms(self, name: str, by: Iterable[tuple[str, str]]) -> bool:
        mine = self.data["name"], self.data.get("cause", "")
        return mine[0] == name or mine in by or (mine[0], "") in by


def read(path: str) -> Iterator[Seen]:
    """The warnings and errors of a record, as they were at its end. Raises UsageError."""
    last: dict[str, Mapping[str, Any]] = {}
    began = 0.0
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        for number, line in enumerate(lines, 1):
            event = _event(line, number == len(lines) and number > 1)
            if event.get("event") == "start":
                began = float(event.get("time", 0.0))
            elif event.get("event") == "finding":
                last[event["id"]] = event
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"--with-run {path}: not a record of a run: {why}") from error
    for data in last.values():
        if data.get("severity") != "info":
            yield Seen(data, began)


def _event(line: str, is_last: bool) -> Mapping[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        if is_last:  # cut off by a crash
            return {}
        raise
    if not isinstance(event, dict) or "event" not in event:
        raise ValueError("a line that is no event")
    return event
