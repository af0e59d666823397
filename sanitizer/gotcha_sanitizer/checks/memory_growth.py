"""Arrays of one shape that become more and more."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.values.events import Memory, Tick
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site, Turn
from gotcha_sanitizer.values.words import itemsize, plural, seconds, size

Group = tuple[tuple[int, ...], str]

_KEPT = 400  # samples of a group: beyond, every second is dropped
_SAMPLES = 5
_ARRAYS, _BYTES = 30, 2**20  # gained, of both ...
_MANY = 500  # ... or of small ones
_EACH = 2000  # bytes of the host that an array takes beside its values
_OF_HOST = 2**24  # bytes of the host: fewer, of single numbers alone, are a note at the end
_FEW_SAMPLES = 3  # are enough for ...
_LARGE_ARRAYS, _LARGE_BYTES = 100, 2**22  # ... a gain of both
_SOON_AT, _SOON_BYTES = 60.0, 2**28  # told before the end: the program may be killed for memory
_SLACK = 0.05  # of the gain may come and go
_FLAT = 0.02  # of the gain: less is no rise yet
_LATE = 0.9  # of the time: after it there must be a rise too
_STEADY = 0.25  # of the mean growth: what each quarter of the time must show at least


@dataclass(frozen=True, slots=True)
class Growth:
    """A group that grew: arrays and bytes gained, over so many seconds."""

    group: Group
    arrays: int
    bytes: int
    span: float


@dataclass
class _Series:
    at: list[float] = field(default_factory=list)
    count: list[int] = field(default_factory=list)
    turn: list[Turn | None] = field(default_factory=list)
    worked: list[float] = field(default_factory=list)

    def add(self, sample: Memory, count: int) -> None:
        self.at.append(sample.at)
        self.count.append(count)
        self.turn.append(sample.turn)
        self.worked.append(sample.worked)
        if len(self.at) > _KEPT:
            for column in (self.at, self.count, self.turn, self.worked):
                del column[1:-1:2]

    def growth(self, group: Group) -> Growth | None:
        """By the iterations of the loop in which the run ended, by its work, or by its time."""
        return self._by_turns(group) or self._by_work(group) or growth(group, self.at, self.count)

    def _by_work(self, group: Group) -> Growth | None:
        """A process that sleeps, or that the machine makes wait, keeps no array more meanwhile.

        It must have gone on afterwards: arrays that were there before a long wait for the device
        are no growth.
        """
        late = self.at[0] + _LATE * (self.at[-1] - self.at[0])
        went_on = _level(self.at, self.count, late) < self.count[-1]
        return growth(group, self.at, self.count, self.worked) if went_on else None

    def _by_turns(self, group: Group) -> Growth | None:
        """A host that waits for its device runs no iteration meanwhile, and keeps no array more."""
        turns = self.turn if self.turn[-1] is not None else self.turn[:-1]
        if not turns or turns[-1] is None:
            return None
        loop, by_value = turns[-1].loop, dict[int, int]()
        for index in range(len(turns) - 1, -1, -1):
            turn = turns[index]
            if turn is None or turn.loop != loop or turn.value > min(by_value, default=turn.value):
                break
            by_value.setdefault(turn.value, index)
        chosen = sorted(by_value.values())
        return growth(
            group,
            [self.at[index] for index in chosen],
            [self.count[index] for index in chosen],
            [float(value) for value in sorted(by_value)],
        )


class MemoryGrowth(Check):
    """Counts the live arrays of each shape: often when a loop begins, once a minute in a long run.

    A finding where their number rises much, all the time, and until the end: not for a buffer that
    has filled up, a list that is emptied now and then, or a `deque` with `maxlen`. A list of losses
    takes 2 kB of the host for each of them: under 16 MiB in all it is a note.
    What holds them is looked for among variables of modules and of running functions.

    ## Instead
    Keep numbers, not arrays: fetch a window of results with one `jax.device_get`, or bound the
    list.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._series: dict[Group, _Series] = {}
        self._holders: dict[Group, str] = {}
        self._places: dict[Group, Site] = {}
        self._told: dict[str, Finding] = {}

    def on(self, event: Memory | Tick) -> Iterator[Finding]:
        if isinstance(event, Memory):
            for group, count in event.groups.items():
                self._series.setdefault(group, _Series()).add(event, count)
            self._holders.update(event.holders)
            self._places.update(event.places)
            if event.at > _SOON_AT and event.bytes > _SOON_BYTES:
                yield from self._findings(soon=True)
        elif event.last:
            yield from self._findings(soon=False)

    def _findings(self, soon: bool) -> Iterator[Finding]:
        together: dict[str, list[Growth]] = {}
        for group, series in self._series.items():
            found = series.growth(group)
            holder = self._holders.get(group, "")
            if found and " of at most " not in holder:
                together.setdefault(holder, []).append(found)
        for holder, groups in together.items():
            if not soon or sum(each.bytes for each in groups) >= _SOON_BYTES:
                found = self._finding(holder, groups)
                self._told[found.id] = found
                yield found
        for key in [*self._told]:  # those that grow no more: notes, with their last numbers
            if self._told[key].evidence["holder"] not in together:
                yield replace(self._told.pop(key), severity="info")

    def _finding(self, holder: str, groups: list[Growth]) -> Finding:
        groups = sorted(groups, key=lambda each: -each.bytes)
        count, total = sum(g.arrays for g in groups), sum(g.bytes for g in groups)
        shapes = [f"{g.group[1]}[{','.join(map(str, g.group[0]))}]" for g in groups]
        shown = ", ".join(shapes[:3]) + (", ..." if len(shapes) > 3 else "")
        span = seconds(groups[0].span)
        name = match[1] if (match := re.search(r"`(.+?)`", holder)) else ""
        held = f"they are held by {holder}" if holder else "what holds them was not found"
        site = self._places.get(groups[0].group)
        return Finding(
            name="memory-growth",
            message=f"{plural(count, 'array')} ({size(total)}) came in {span} and stayed, "
            f"more all the time: {shown}; {held}",
            site=site,
            advice=f"keep numbers, not arrays: fetch what goes into `{name}` every n steps with "
            "`jax.device_get`, or empty it"
            if name
            else "look for a list, cache or closure that keeps the results of each step",
            function=site.function if site else "",
            count=count,
            severity="warning" if _is_heavy(groups) else "info",
            evidence={"bytes": total, "shapes": shapes[:10], "holder": holder},
            key=(holder or tuple(shapes[:1]),),
        )


def _is_heavy(groups: list[Growth]) -> bool:
    """Whole trees, or so many single numbers that the objects around them count."""
    if any(each.group[0] for each in groups):
        return True
    return sum(each.arrays * _EACH + each.bytes for each in groups) >= _OF_HOST


def growth(
    group: Group, at: list[float], count: list[int], progress: list[float] | None = None
) -> Growth | None:
    """What a group gained, if it rose all the time and a lot; None for all that levels off.

    `progress`: what the program had done by each sample; by default, the seconds it had run.
    """
    progress = at if progress is None else progress
    end = len(count)
    if end > 1 and count[-1] < count[-2]:  # at the end functions give up their variables
        end -= 1
    start = _rise(count[:end])
    progress, count, at = progress[start:end], count[start:end], at[start:end]
    if len(count) < _FEW_SAMPLES:
        return None
    gained = count[-1] - count[0]
    much = gained * itemsize(group[1]) * math.prod(group[0])
    large = gained >= _LARGE_ARRAYS and much >= _LARGE_BYTES
    if len(count) < _SAMPLES and not large:
        return None
    if gained < _ARRAYS or (much < _BYTES and gained < _MANY):
        return None
    return Growth(group, gained, much, at[-1] - at[0]) if _steady(progress, count) else None


def _rise(count: list[int]) -> int:
    """Where the rise to the last sample begins: nothing after it falls below what was before.

    What the program does before, such as compiling, is left out.
    """
    least = count[-1] if count else 0
    slack = _SLACK * least
    start = 0
    for index in range(len(count) - 1, -1, -1):
        if count[index] > least + slack:
            start = index + 1
            break
        least = min(least, count[index])
    flat = least + _FLAT * (count[-1] - least) if count else 0
    return max([start, *(n for n in range(start, len(count)) if count[n] <= flat)])


def _steady(progress: list[float], count: list[int]) -> bool:
    """True where each quarter of the progress has a good part of the growth."""
    first, whole = progress[0], progress[-1] - progress[0]
    levels = [_level(progress, count, first + whole * n / 4) for n in range(5)]
    mean = (count[-1] - count[0]) / 4
    return all(b - a >= _STEADY * mean for a, b in itertools.pairwise(levels))


def _level(progress: list[float], count: list[int], moment: float) -> float:
    """The count at a moment, on the line between the samples around it."""
    samples = zip(progress, count)  # noqa: B905
    for (t, n), (u, m) in itertools.pairwise(samples):
        if moment <= u:
            return n + (m - n) * (moment - t) / max(u - t, 1e-9)
    return count[-1]
