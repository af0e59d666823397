"""What a unit has met, beside the state: the sites that were made, and what is known of its loops.

An engine keeps its sites and summaries for all units. A unit begins with what the modules have met
that it imports, and a summary that was made for another unit says what it met: so a unit shows the
same, whatever else was run before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import Size, join_sizes

if TYPE_CHECKING:
    from gotcha_lint.program.ir import Function

Loop = tuple[str, int, int]  # path, line, column


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """Of a loop, over all that has run it. `turns`: how many iterations, where that is known."""

    turns: Size | None = None
    listed: bool = False  # it is over what is written out
    waits: bool = False  # it sleeps, or asks somebody
    is_long: bool = False  # over data, as long as a test holds, or often enough by its number

    def joined(self, other: LoopFacts) -> LoopFacts:
        turns = other.turns if self.turns is None else self.turns
        if self.turns is not None and other.turns is not None:
            turns = join_sizes(self.turns, other.turns)
        return LoopFacts(
            turns,
            self.listed or other.listed,
            self.waits or other.waits,
            self.is_long or other.is_long,
        )


UNKNOWN_LOOP = LoopFacts()


@dataclass(slots=True)
class Loops:
    """Loops that were run, and what is known of each."""

    facts: dict[Loop, LoopFacts] = field(default_factory=dict)

    def add(self, loop: Loop, facts: LoopFacts) -> None:
        old = self.facts.get(loop)
        if old is not facts:
            self.facts[loop] = facts if old is None else old.joined(facts)

    def update(self, other: Loops) -> None:
        for loop, facts in other.facts.items():
            self.add(loop, facts)

    def of(self, loop: Loop) -> LoopFacts:
        return self.facts.get(loop, UNKNOWN_LOOP)

    def turns(self, loop: Loop) -> Size | None:
        return self.of(loop).turns


@dataclass(slots=True)
class Met:
    """`closures`: the first of each function. All in the order in which they were met."""

    sites: dict[Site, None] = field(default_factory=dict)
    closures: dict[Function, Site] = field(default_factory=dict)
    loops: Loops = field(default_factory=Loops)

    def add(self, site: Site) -> None:
        if site in self.sites:
            return
        self.sites[site] = None
        if site.kind == "function" and (function := site.info.get("function")) is not None:
            self.closures.setdefault(function, site)

    def copy(self) -> Met:
        return Met(dict(self.sites), dict(self.closures), Loops(dict(self.loops.facts)))

    def classes(self) -> list[Site]:
        return [site for site in self.sites if site.kind == "class"]

    def without(self, below: Met) -> Met:
        """What has come to this, which began with what lies below."""
        sites = dict.fromkeys(islice(self.sites, len(below.sites), None))
        closures = dict(islice(self.closures.items(), len(below.closures), None))
        return Met(sites, closures, self.loops)


def united(parts: Iterable[Met]) -> Met:
    """All that these have met, the first ones first."""
    out = Met()
    for part in parts:
        out.sites.update(part.sites)
        for function, site in part.closures.items():
            out.closures.setdefault(function, site)
        out.loops.update(part.loops)
    return out
