"""Samples of the live arrays, grouped by shape and dtype, and who holds those that grow in number.

No array is kept: a sample is counts. Looking costs up to 0.5 ms at 3,000 arrays, so the samples
become rarer the more they cost, and the longer a loop runs: they begin again, close together, when
a function was compiled. In the longest run they are a minute apart.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from gotcha_sanitizer.hooks import Context, internals, loop_counter, nan_origin
from gotcha_sanitizer.hooks.finite import has_nan
from gotcha_sanitizer.hooks.holders import Group, Held, holder
from gotcha_sanitizer.hooks.watches import watches
from gotcha_sanitizer.values.events import Memory
from gotcha_sanitizer.values.parts import Turn

_SHARE = 0.0015  # of the run's time
_GRACE = 0.025  # seconds that are always allowed
_SOONEST = 0.002  # seconds between samples
_SAMPLES = 10  # the next comes after a tenth of the loop's time so far, at the earliest,
_LEAST = 6  # and after a 6th of the run's at the latest, however many arrays there are to count,
_RAREST = 60.0  # or after so many seconds
_MOST = 0.01  # of the run's time, where a single sample takes so long that a minute is too often
_ASLEEP = 1.0  # seconds after which the ticker looks whether a new loop has begun
_GROUPS = 40  # of a sample that are kept
_GREW = 20  # arrays gained, and none lost: then the holder is looked for
_RISES = 4  # samples
_WEIGHTS, _EACH = 6, 2  # groups whose values are looked at, the largest; arrays of each
_VALUES = 0.005  # seconds between two looks at values, at least,
_OF_TIME = 0.01  # and as many as let looking take this share of the time: a GPU's are copied


class Samples:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.cost = self.spent = 0.0  # seconds: of the last sample, of all
        self.searched = 0.0  # seconds spent on looking for holders
        self.look_due = 0.0  # seconds since the start: when values are looked at again
        self.began = self.due = 0.0  # seconds since the start: of this loop, of the next sample
        self.sampled = 0.0  # seconds since the start: when there was a sample
        self.state: object = None  # of the program, at that time: its turn, and its arrays
        self.sooner: Callable[[], None] = lambda: None
        self.held: dict[Group, Held] = {}
        self.nan: dict[Group, bool] = {}  # as last looked at
        self._recent: dict[Group, deque[int]] = {}

    def job(self) -> float | None:
        """A sample, for the ticker; gives the seconds until the next."""
        if internals.backend_started(self.context.jax) is False:
            return None
        now = self.context.now()
        if now >= self.due:
            before, self.state = self.state, self.sample()
            if before == self.state:  # the host waits: the loop gets no older by that
                self.began += now - self.sampled
            self.sampled = now
            self.due = now + self.pause(now)
        return min(self.due - now, _ASLEEP)

    def pause(self, now: float) -> float:
        """Seconds from this sample to the next."""
        fair = self.cost / _SHARE if self.spent > _GRACE else 0.0
        soonest = max((now - self.began) / _SAMPLES, _SOONEST)
        return min(max(min(fair, now / _LEAST), soonest), max(_RAREST, self.cost / _MOST))

    def restart(self) -> None:
        """A function was compiled: a loop begins, whose first milliseconds may be all of it."""
        self.began = self.context.now()
        if self.spent <= _GRACE:
            self.due = self.began
            self.sooner()

    def last(self) -> None:
        """At the end, when nothing waits: one more sample, and time to look for holders."""
        self.searched = 0.0
        if internals.backend_started(self.context.jax) is not False:
            self.look_due = 0.0
            self.sample()
            if any(self.nan.values()):
                nan_origin.weights_are_nan()

    def sample(self) -> object:
        """Emits one; gives what tells two moments of the program apart."""
        at, worked = self.context.now(), time.process_time()
        began, searched = time.thread_time(), self.searched
        arrays = self.context.jax.live_arrays()
        counts, size = self._count(arrays)
        self._look_for_holders(counts)
        turn = self._turn()
        largest = dict(counts.most_common(_GROUPS))
        held = {group: found for group, found in self.held.items() if group in largest}
        self.context.emit(
            Memory(
                at=at,
                bytes=size,
                arrays=counts.total(),
                groups=largest,
                holders={group: found.text for group, found in held.items()},
                resident=resident(),
                places={group: found.site for group, found in held.items() if found.site},
                nan=self._nan(arrays, largest) if at >= self.look_due else {},
                turn=turn,
                worked=worked,
            )
        )
        # Not the wait for the interpreter's lock, nor the search, which has a share of its own.
        self.cost = time.thread_time() - began - (self.searched - searched)
        self.spent += self.cost
        return turn, counts

    def _nan(self, arrays: list[Any], groups: dict[Group, int]) -> dict[Group, tuple[int, int]]:
        """Of the largest floating-point groups, and those that were NaN at the last look:
        (arrays looked at, of these with a NaN)."""
        began = time.thread_time()
        floats = [group for group in groups if "float" in group[1] and math.prod(group[0]) > 1]
        wanted = set(sorted(floats, key=lambda group: -math.prod(group[0]))[:_WEIGHTS])
        wanted |= {group for group, bad in self.nan.items() if bad}  # or it is said to stay so
        found: dict[Group, tuple[int, int]] = {}
        for array in arrays:
            group = (tuple(array.shape), _name(array.dtype))
            looked, bad = found.get(group, (0, 0))
            if group in wanted and looked < _EACH:
                nan = has_nan(array)
                if nan is not None:
                    found[group] = looked + 1, bad + nan
        self.nan |= {group: bad > 0 for group, (_, bad) in found.items()}
        cost = time.thread_time() - began
        self.look_due = self.context.now() + max(_VALUES, cost / _OF_TIME)
        return found

    def _turn(self) -> Turn | None:
        """Of the loop that the main thread runs."""
        main = sys._current_frames().get(threading.main_thread().ident or 0)
        return None if self.context.options.redact else loop_counter.turn(main)

    def _count(self, arrays: list[Any]) -> tuple[Counter[Group], int]:
        found: Counter[Any] = Counter()
        for array in arrays:
            found[array.shape, array.dtype] += 1
        counts: Counter[Group] = Counter()
        size = 0
        for (shape, dtype), count in found.items():
            counts[tuple(shape), _name(dtype)] += count
            size += count * math.prod(shape) * dtype.itemsize
        return counts, size

    def _look_for_holders(self, counts: Counter[Group]) -> None:
        for group, count in counts.items():
            recent = self._recent.setdefault(group, deque(maxlen=_RISES + 1))
            if recent and count < recent[-1]:
                recent.clear()
            recent.append(count)
            if len(recent) <= _RISES or count - recent[0] < _GREW or self.held.get(group):
                continue
            gained = count - recent[0]
            if self._may_search():
                self._search(group, gained)
        for gone in [group for group in self._recent if group not in counts]:
            del self._recent[gone]

    def _may_search(self) -> bool:
        return self.searched <= _SHARE * self.context.now()

    def _search(self, group: Group, gained: int) -> None:
        began = time.thread_time()
        if found := holder(group, at_least=gained // 2):
            self.held[group] = found
        self.searched += time.thread_time() - began


@lru_cache(maxsize=256)
def _name(dtype: Any) -> str:
    return str(dtype)


def resident() -> int:
    """Bytes of this process in main memory; 0 where the system does not say."""
    try:
        file = os.open("/proc/self/statm", os.O_RDONLY)  # a quarter of the time of `open`
        try:
            return int(os.read(file, 200).split()[1]) * os.sysconf("SC_PAGE_SIZE")
        finally:
            os.close(file)
    except (OSError, ValueError, IndexError):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS; the highest so far


def install(context: Context) -> Callable[[], None]:
    samples = Samples(context)
    samples.sooner = context.every(_SOONEST, samples.job)
    context.at_end(samples.last)
    watches.on_compiled.append(samples.restart)
    return lambda: None
