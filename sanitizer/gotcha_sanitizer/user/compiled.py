"""A compile as a program may read it, and several of them in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gotcha_sanitizer.explain.advice import advise
from gotcha_sanitizer.run.stream import shapes
from gotcha_sanitizer.values.events import Explained
from gotcha_sanitizer.values.parts import Function, Site
from gotcha_sanitizer.values.rows import Inlined
from gotcha_sanitizer.values.words import place, seconds

_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Compiled:
    """One program that was compiled. `cause` is empty for the first of its function.

    `differences` are like `x: float32[8] -> float32[9]`; `seconds` has the keys trace, lower and
    compile, as far as they were seen.
    """

    function: str
    site: Site | None
    shapes: str
    cause: str
    differences: tuple[str, ...]
    seconds: Mapping[str, float]
    cached: bool | None  # found in the persistent cache; None where there is none
    at: float  # seconds since the session began
    fix: str = ""

    def __str__(self) -> str:
        why = f"{self.cause}: {'; '.join(self.differences)}" if self.cause else "the first one seen"
        took = seconds(sum(self.seconds.values()))
        return f"`{self.function}` at {place(self.site)}, {took}: {why.removesuffix(': ')}"


def message(headline: str, programs: Sequence[Compiled]) -> str:
    """The headline, then each compile: which function, why, where, what to do."""
    lines = [headline]
    for each in programs[:_SHOWN]:
        lines += [f"  {each}", *([f"      arguments: {each.shapes}"] if not each.cause else [])]
        lines += [f"      fix: {each.fix}"] if each.fix else []
    if (more := len(programs) - _SHOWN) > 0:
        lines.append(f"  and {more} more")
    return "\n".join(lines)


def inlined(function: Function, seen: Iterable[Explained]) -> str:
    """Of which programs a function is a part; empty where it is of none."""
    if function.site is None:
        return ""
    place = function.site[:2]
    programs = [e.program for e in seen if place in [part[:2] for part in e.program.inlined]]
    within = list(dict.fromkeys(program.function.name for program in programs))
    return f"`{function.name}` is {Inlined(function.name, *place, within)}" if within else ""


def from_event(event: Explained) -> Compiled:
    program = event.program
    return Compiled(
        program.function.name,
        program.site,
        shapes(program.signature.leaves),
        event.cause,
        tuple(str(each) for each in event.differences if str(each)),
        dict(program.seconds),
        program.cached,
        program.at,
        advise(event) if event.cause else "",
    )


def from_row(row: Mapping[str, Any]) -> Compiled:
    """From a `program` event of the record."""
    site = Site(row["path"], row["line"]) if row["line"] else None
    causes = row["causes"]
    why = tuple(each for each in row["why"] if each)
    return Compiled(
        row["function"],
        site,
        row["shapes"],
        causes[0] if causes else "",
        why,
        dict(row["seconds"]),
        row["cached"],
        row["at"],
    )
