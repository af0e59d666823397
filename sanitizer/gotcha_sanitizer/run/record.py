"""A run as data: events as JSON objects, one a line, and what they add up to.

The live session and `gotcha-sanitize report` use the same fold, so that a file that a killed
process left behind gives the same report as the process itself would have.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gotcha_sanitizer.run.os_errors import in_words
from gotcha_sanitizer.run.unfolded import restored
from gotcha_sanitizer.values.finding import Finding, from_dict
from gotcha_sanitizer.values.rows import STAGES, Inlined, Row, row_key
from gotcha_sanitizer.values.turn_counts import Counted, count

Json = dict[str, Any]
_KEPT_EVENTS = 20_000  # programs: what the plots need
_KEPT_AVALS = 500  # signatures
_KEPT_SAMPLES = 4_000  # of memory; then every second of them goes


@dataclass
class Run:
    """What a stream of events adds up to. `complete` once the summary was read."""

    start: Json = field(default_factory=dict)
    rows: dict[tuple[str, str, int, str], Row] = field(default_factory=dict)
    inlined: dict[tuple[str, int], Inlined] = field(default_factory=dict)
    avals: dict[str, dict[str, str]] = field(default_factory=dict)  # id -> types by leaf
    turns: dict[tuple[str, int], Counted] = field(default_factory=dict)  # by the loop's line
    programs: list[Json] = field(default_factory=list)
    memory: list[Json] = field(default_factory=list)
    footprints: dict[str, int] = field(default_factory=dict)  # function -> bytes
    reads: dict[tuple[str, int, str], Json] = field(default_factory=dict)
    findings: dict[str, Finding] = field(default_factory=dict)
    degraded: dict[str, str] = field(default_factory=dict)
    summary: Json = field(default_factory=dict)
    host: Json = field(default_factory=dict)  # index and count, where there are several
    divergence: str = ""  # of several hosts: what they did not compile alike
    wait: str = ""  # of several hosts: the last time that one waited long for another
    last: float = 0.0  # seconds since the start, of the last event
    busy: float = 0.0  # of these, when at least one thread compiled
    busy_until: float = 0.0
    most: int = _KEPT_EVENTS  # programs of one row that are kept; all are counted

    @property
    def complete(self) -> bool:
        return bool(self.summary)

    @property
    def problems(self) -> list[Finding]:
        """Errors, then warnings, of each the most expensive first; info is a note, no problem."""
        chosen = [f for f in self.findings.values() if f.severity != "info"]
        return sorted(chosen, key=lambda f: (f.severity != "error", -f.seconds, -f.count, f.name))

    @property
    def notes(self) -> list[Finding]:
        chosen = [f for f in self.findings.values() if f.severity == "info"]
        return sorted(chosen, key=lambda f: (-f.seconds, -f.count, f.name))

    def total(self, stage: str) -> float:
        return sum(row.seconds[stage] for row in self.rows.values())

    def count(self, what: str) -> int:
        """The sum of `programs`, `traces`, `compiles` or `cache_hits` over all functions."""
        return sum(getattr(row, what) for row in self.rows.values())

    @property
    def only_inlined(self) -> list[Inlined]:
        """Those without a program of their own: what they cost is in that of others."""
        own = {(row.path, row.line) for row in self.rows.values() if row.owner == "user"}
        return [each for place, each in self.inlined.items() if place not in own]

    def add(self, event: Mapping[str, Any]) -> None:
        """Takes one event in; those of later versions that are not known are passed over."""
        self.last = max(self.last, event.get("at", 0.0))
        count(self.turns, event)
        match event.get("event"):
            case "start":
                self.start = dict(event)
            case "program":
                self._program(dict(event))
            case "avals":
                if len(self.avals) < _KEPT_AVALS:
                    self.avals.setdefault(event["id"], dict(event["leaves"]))
            case "memory":
                self.memory.append(dict(event))
                if len(self.memory) > _KEPT_SAMPLES:
                    del self.memory[1:-1:2]
            case "footprints":
                for name, size in event["bytes"].items():
                    self.footprints[name] = max(size, self.footprints.get(name, 0))
            case "reads":
                for read in event["rows"]:
                    self.reads[read["path"], read["line"], read["how"]] = read
            case "finding":
                finding = from_dict(event)
                self.findings[event["id"]] = finding
            case "host":
                self.host = dict(event)
            case "diverged":
                if event["cause"] == "wait":
                    self.wait = event["why"]
                else:
                    self.divergence = self.divergence or event["why"]
            case "degraded":
                self.degraded[event["feature"]] = event["why"]
            case "summary":
                self.summary = dict(event)
            case "folded":
                vars(self).update(restored(event))

    def _program(self, event: Json) -> None:
        began = event["at"] - sum(event["seconds"].values())
        self.busy += max(0.0, event["at"] - max(began, self.busy_until))
        self.busy_until = max(self.busy_until, event["at"])
        key = row_key(event)
        row = self.rows.get(key)
        if row is None:
            named = {name: event[name] for name in ("function", "owner", "eager")}
            row = self.rows[key] = Row(**named, path=key[1], line=key[2])
        row.take(event)
        if row.programs <= self.most:
            _keep(self.programs, event)
        for path, line, name in event.get("inlined", ()):
            self.take_inlined(Inlined(name, path, line, [event["function"]]))

    def take_inlined(self, new: Inlined) -> None:
        known = self.inlined.setdefault((new.path, new.line), Inlined(new.name, new.path, new.line))
        known.within += [name for name in new.within if name not in known.within]


def stages(run: Run) -> tuple[str, ...]:
    """Those to show: most runs have no persistent cache to load from."""
    return tuple(stage for stage in STAGES if stage != "load" or run.total(stage))


def _keep(kept: list[Json], event: Json) -> None:
    if len(kept) < _KEPT_EVENTS:
        kept.append(event)


def fold(events: Iterable[Mapping[str, Any]]) -> Run:
    run = Run()
    for event in events:
        run.add(event)
    return run


class BadRecord(Exception):
    """A file that is no record of a run; the message says where and what to do."""


def read(path: Path) -> Iterator[Json]:
    """The events of a JSONL file. A last line that was cut off by a crash is left out.

    Raises BadRecord where the file cannot be read or is something else.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadRecord(f"{path} cannot be read: {in_words(error)}") from error
    for number, line in enumerate(lines, 1):
        try:
            event = json.loads(line)
            if not isinstance(event, dict) or "event" not in event:
                raise ValueError("not an event")
        except ValueError as error:
            if number == len(lines) and number > 1:
                return
            hint = "a record is what GOTCHA_OPTIONS=log_path=run.jsonl writes"
            raise BadRecord(f"{path}:{number}: no event of a run ({error}); {hint}") from error
        yield event


def summary(run: Run) -> Json:
    """The totals of a run, as its last event holds them."""
    return {
        "event": "summary",
        "programs": run.count("programs"),
        "traces": run.count("traces"),
        "compiles": run.count("compiles"),
        "cache_hits": run.count("cache_hits"),
        "seconds": {stage: round(run.total(stage), 4) for stage in STAGES},
        "findings": len(run.problems),
        "notes": len(run.notes),
        "degraded": sorted(run.degraded),
    }
