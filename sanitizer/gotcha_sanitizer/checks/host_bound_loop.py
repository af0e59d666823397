"""Loops whose time goes into operations that run one by one, outside of jit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.values.events import Activity, LoopActivity
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.words import place, seconds

_SAMPLES = 15
_SHARE = 0.5  # of the loop's time
_DEAR_SHARE, _DEAR = 0.25, 10.0  # of the loop's time, and seconds of eager dispatch: as good
_NOTE = 0.1  # of the loop's time, for a note
_SECONDS, _OF_RUN = 0.3, 0.02  # of eager dispatch: less is not worth a finding
_LINES = 3


class HostBoundLoop(Check):
    """Samples what the main thread does in each loop, without the compiling.

    A finding where at least half of a loop's time is JAX's own Python code, which starts operations
    one by one: the device waits for the host; where that has cost 10 s, a quarter is enough. From a
    tenth on it is a note. Operations that a
    library starts for the program count too: an optimizer's update, a sequence of random keys. The
    share is that of the samples, up to 60 a second and fewer in a long run. Of nested loops the
    innermost such one is named.

    ## Instead
    Put `jax.jit` around the body of the loop, or the loop into it (`lax.scan`): the optimizer's
    update and the split of the key belong into the step too.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._told: dict[object, Finding] = {}

    def on(self, event: Activity) -> Iterator[Finding]:
        bound = [row for row in event.loops if _counts(row, event.at)]
        # The same samples count for the loops around: the one with the largest share is meant.
        bound.sort(key=lambda row: (-row.eager / row.seconds, row.seconds))
        lines: set[object] = set()
        now: set[object] = set()
        for row in bound:
            if not lines & set(row.lines):
                lines |= set(row.lines)
                now.add(row.loop)
                self._told[row.loop] = _finding(row)
                yield self._told[row.loop]
        for loop in [loop for loop in self._told if loop not in now]:
            yield replace(self._told.pop(loop), severity="info")


def is_bound(row: LoopActivity) -> bool:
    """Python holds the loop up, however short it is."""
    return row.samples >= _SAMPLES and row.eager >= _SHARE * row.seconds


def _is_dear(row: LoopActivity) -> bool:
    share = row.eager / row.seconds
    return share >= _SHARE or (share >= _DEAR_SHARE and row.eager >= _DEAR)


def _counts(row: LoopActivity, now: float) -> bool:
    much = row.eager >= max(_SECONDS, _OF_RUN * now)
    return row.samples >= _SAMPLES and much and row.eager >= _NOTE * row.seconds


def _finding(row: LoopActivity) -> Finding:
    dearest = sorted(row.lines.items(), key=lambda item: -item[1])[:_LINES]
    shown = ", ".join(f"{place(site)} ({seconds(spent)})" for site, spent in dearest)
    return Finding(
        name="host-bound-loop",
        message=f"{row.eager / row.seconds:.0%} of {seconds(row.seconds)} in this loop went into "
        f"starting operations outside of jit, one by one: {shown}",
        site=row.loop,
        advice="put `jax.jit` around the body of the loop, or the loop into it (`lax.scan`); an "
        "optimizer's update and the split of a key belong into the jitted step too",
        severity="warning" if _is_dear(row) else "info",
        count=row.samples,
        seconds=row.eager,
        confidence="medium",
        chain=tuple((site, f"{seconds(spent)} here") for site, spent in dearest),
        evidence={"share": round(row.eager / row.seconds, 3), "samples": row.samples},
        key=(row.loop.path, row.loop.line),
    )
