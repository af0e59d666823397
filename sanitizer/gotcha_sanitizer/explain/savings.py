"""What it saves to fix a finding: seconds in 10,000 iterations of the loop that it costs them in.

An estimate, with its method in words: the seconds lost so far, divided by the turns that the loop
was seen to count. It is given only where the loop counts without beginning again, has made fifty
iterations, and the finding was still costing time at the end: what has converged costs nothing
more. New shapes and values mostly come from a limited range, so that compiles become rare: without
a compile in nearly each iteration nothing is said of them.
"""

from __future__ import annotations

from typing import NamedTuple

from gotcha_sanitizer.run.record import Run
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.words import place, seconds

TURNS = 10_000
_FEWEST = 50
_LATE = 0.8  # of the run: a compile after it says that there will be more
_NEARLY_EACH = 0.9  # of the iterations
_ENDLESS = frozenset(("new-function", "static-identity", "pytree-static", "cache-cleared"))
_WORTH = 0.1  # seconds in 10,000 turns


class Saving(NamedTuple):
    seconds: float  # in 10,000 turns
    loop: Site
    turns: int  # that were seen
    lost: float  # in those

    def __str__(self) -> str:
        return (
            f"about {seconds(self.seconds)} in {TURNS:,} iterations of the loop at "
            f"{place(self.loop)} ({seconds(self.lost)} in the {self.turns:,} iterations seen)"
        )


def saving(finding: Finding, run: Run) -> Saving | None:
    """Must-analysis of the loop: None where it is not certain which loop pays."""
    loop = _loop(finding, run)
    if loop is None or finding.seconds <= 0 or not _goes_on(finding, run):
        return None
    turns = run.turns[loop].turns
    if not _keeps_its_rate(finding, turns):
        return None
    rate = finding.seconds / turns * TURNS
    if rate < _WORTH:
        return None
    return Saving(rate, Site(*loop), turns, finding.seconds)


def _loop(finding: Finding, run: Run) -> tuple[str, int] | None:
    """The innermost loop that begins above the finding's line in its file, or else the only one."""
    loops = list(run.turns)
    if finding.site is not None:
        here = [at for at in loops if at[0] == finding.site.path and at[1] <= finding.site.line]
        loops = [max(here)] if here else loops
    if len(loops) != 1:
        return None
    counted = run.turns[loops[0]]
    return loops[0] if counted.whole and counted.turns >= _FEWEST else None


def _goes_on(finding: Finding, run: Run) -> bool:
    """A recompile: there was one late in the run. All else is paid in each iteration."""
    if finding.name != "recompile":
        return True
    own = (p["at"] for p in run.programs if p["function"] == finding.function and p["causes"])
    return max(own, default=0.0) >= _LATE * run.last


def _keeps_its_rate(finding: Finding, turns: int) -> bool:
    """An object that is made again is new each time; a size or a value may come a second time."""
    if finding.name != "recompile" or finding.cause in _ENDLESS:
        return True
    return finding.count >= _NEARLY_EACH * turns
