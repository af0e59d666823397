"""Arrays that turned NaN and stayed so, whether the program reads them or not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.values.events import Memory, NanOrigin, Tick
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Turn
from gotcha_sanitizer.values.words import plural, seconds

_NAN = "`gotcha-sanitize nan` with this program names the operation that made the first NaN"
_ADVICE = "stop a run, or skip the step, when the loss is not finite"

Group = tuple[tuple[int, ...], str]

_SHARE = 0.5  # of the arrays of a group that were looked at
_SAMPLES = 2  # in a row, the last ones of the run ...
_SOON, _LONG = 5, 5.0  # ... or so many, for so many seconds: told while it runs, ...
_ONE_TURN = 60.0  # ... if the loop went on meanwhile, or after so many seconds in one iteration


@dataclass
class _State:
    """When all of a group was last finite, and since when it is not. Times in seconds."""

    finite: float | None = None
    finite_turn: Turn | None = None
    since: float = 0.0
    turn: Turn | None = None
    samples: int = 0
    last: float = 0.0
    last_turn: Turn | None = None
    is_nan: bool = False  # as last looked at


class NonFiniteWeights(Check):
    """Looks at some small arrays of each shape whenever the live arrays are counted.

    A finding where the arrays of a shape were finite before, most of them are NaN now, and this
    lasts: to the end of the run, or for 5 s and into another iteration of a loop that counts. A
    single step with NaN gradients that is skipped is none, and neither are infinities. Arrays that
    lie in parts on several devices are not seen.

    At the end, where arrays are NaN, functions that give back what they are given are evaluated
    again from the arguments of their first call, of at most 16 MiB, for at most 2 s beside the
    compiling. If that gives a NaN, the finding names the operation that made it; this also proves a
    NaN that was there at the first look. What only later data bring about is not seen so.

    ## Instead
    `gotcha-sanitize nan train.py` names the operation that made the first NaN, on any data.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._states: dict[Group, _State] = {}
        self._origin: NanOrigin | None = None

    def on(self, event: Memory | NanOrigin | Tick) -> Iterator[Finding]:
        if isinstance(event, Memory):
            for group, (looked, bad) in event.nan.items():
                _take(self._states.setdefault(group, _State()), event, bad >= _SHARE * looked)
            yield from self._finding(_SOON, _LONG)
        elif isinstance(event, NanOrigin):
            self._origin = event
        elif event.last:
            yield from self._finding(_SAMPLES, 0.0)

    def _finding(self, samples: int, span: float) -> Iterator[Finding]:
        bad = {
            group: state
            for group, state in self._states.items()
            if state.samples >= samples and state.last - state.since >= span
            if not span or _went_on(state)
        }
        message = "turned NaN {when} and stayed so"
        if not bad and self._origin is not None:  # as soon as in the first steps
            bad = {group: state for group, state in self._states.items() if state.is_nan}
            message = "are NaN at the end"
        if not bad:
            return
        first = min(bad.values(), key=lambda state: state.since)
        shapes = [f"{dtype}[{','.join(map(str, shape))}]" for shape, dtype in bad]
        shown = ", ".join(shapes[:3]) + (", ..." if len(shapes) > 3 else "")
        yield Finding(
            name="non-finite-weights",
            message=f"the arrays of {plural(len(bad), 'shape')} "
            f"{message.format(when=_when(first))}: {shown}{_made(self._origin)}",
            site=first.turn.loop if first.turn else self._origin and self._origin.site,
            advice=_advice(self._origin),
            count=len(bad),
            severity="error",
            chain=((self._origin.site, "makes a NaN"),)
            if self._origin and self._origin.site
            else (),
            evidence={
                "shapes": shapes[:10],
                "finite_at": round(first.finite or 0.0, 3),
                "first_at": round(first.since, 3),
                "turns": [turn.value for turn in (first.finite_turn, first.turn) if turn],
            },
            key=("weights",),
        )


def _take(state: _State, event: Memory, bad: bool) -> None:
    state.is_nan = bad
    if not bad:
        state.finite, state.finite_turn, state.samples = event.at, event.turn, 0
    elif state.finite is not None:
        if not state.samples:
            state.since, state.turn = event.at, event.turn
        state.samples += 1
        state.last, state.last_turn = event.at, event.turn


def _went_on(state: _State) -> bool:
    """An attempt that fails and is repeated is no lasting NaN, however slow the attempt is."""
    stood = state.turn is not None and state.turn == state.last_turn
    return not stood or state.last - state.since >= _ONE_TURN


def _made(origin: NanOrigin | None) -> str:
    if origin is None:
        return ""
    where = f" at {os.path.basename(origin.site.path)}:{origin.site.line}" if origin.site else ""
    reason = f" ({origin.reason})" if origin.reason else ""
    return (
        f"; run again from the arguments of its first call, `{origin.function}` gives a NaN in "
        f"step {origin.step:,}, which `{origin.operation}`{where} makes{reason}"
    )


def _advice(origin: NanOrigin | None) -> str:
    if origin is None:
        return f"{_NAN}; {_ADVICE}"
    return f"the reason: {origin.why}; {_ADVICE}" if origin.why else _ADVICE


def _when(state: _State) -> str:
    """Between the last look that found all finite and the first that did not."""
    before, after = state.finite_turn, state.turn
    if after is not None and before is not None and before.loop == after.loop:
        if before.value < after.value:
            return f"between `{after.name}` {before.value:,} and {after.value:,}"
        return f"at `{after.name}` {after.value:,}"
    if after is not None:
        return f"before `{after.name}` {after.value:,}"
    return f"between {seconds(state.finite or 0.0)} and {seconds(state.since)} of the run"
