"""What the programs of a function add up to: together, and for each line that called it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gotcha_sanitizer.values.parts import Site

STAGES = ("trace", "lower", "compile", "load")
"""Of a program; `load` is the time of one that the persistent cache had, in place of `compile`."""
_COUNTS = ("programs", "traces", "compiles", "cache_hits")
_NAMED = 2


@dataclass(kw_only=True)
class Sums:
    """Of some programs: how many, the seconds of each stage, and why there was more than one."""

    programs: int = 0
    traces: int = 0
    compiles: int = 0
    cache_hits: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))
    causes: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> float:
        return sum(self.seconds.values())

    def take(self, event: Mapping[str, Any]) -> None:
        """Adds one program."""
        self.programs += 1
        self.traces += event["retraced"]
        self.compiles += "compile" in event["seconds"] and event["cached"] is not True
        self.cache_hits += event["cached"] is True
        for stage, seconds in event["seconds"].items():
            self.seconds[stage] += seconds
        for cause in dict.fromkeys(event["causes"]):
            self.causes[cause] = self.causes.get(cause, 0) + 1

    def add(self, other: Sums) -> None:
        """Adds those of another process."""
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for stage in STAGES:
            self.seconds[stage] += other.seconds[stage]
        for cause, count in other.causes.items():
            self.causes[cause] = self.causes.get(cause, 0) + count

    def copy(self) -> Sums:
        return replace(self, seconds=dict(self.seconds), causes=dict(self.causes))


@dataclass(kw_only=True)
class Row(Sums):
    """One function (or one eager operation at one line) and all its programs."""

    function: str
    owner: str
    eager: str
    path: str
    line: int
    calls: dict[Site, Sums] = field(default_factory=dict)  # by the line that called it

    def take(self, event: Mapping[str, Any]) -> None:
        super().take(event)
        site = Site(event["path"], event["line"])
        self.calls.setdefault(site, Sums()).take(event)

    def add(self, other: Sums) -> None:
        super().add(other)
        if isinstance(other, Row):
            for site, sums in other.calls.items():
                self.calls.setdefault(site, Sums()).add(sums)

    def copy(self) -> Row:
        calls = {site: sums.copy() for site, sums in self.calls.items()}
        return replace(self, seconds=dict(self.seconds), causes=dict(self.causes), calls=calls)

    @property
    def callers(self) -> list[tuple[Site, Sums]]:
        """The lines that called it, the most expensive first."""
        return sorted(self.calls.items(), key=lambda item: -item[1].total)


@dataclass
class Inlined:
    """A jitted function that was called inside of others: of its own it has no program there."""

    name: str
    path: str
    line: int
    within: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        more = f" and {len(self.within) - _NAMED} more" if len(self.within) > _NAMED else ""
        return f"inlined in {', '.join(self.within[:_NAMED])}{more}: n/a"


def row_key(event: Mapping[str, Any]) -> tuple[str, str, int, str]:
    """Function, path, line and kind of the row that a program belongs to."""
    if event["owner"] == "user":  # a function is one row, wherever it is called from
        return event["function"], event["defined"][0], event["defined"][1], ""
    return event["function"], event["path"], event["line"], event["eager"]
