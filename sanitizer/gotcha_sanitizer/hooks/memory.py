"""Samples of the live arrays, grouped by shape and dtype, and who holds those that grow in number.

No array is kept: a sample is counts. Looking costs up to 0.5 ms at 3,000 arrays, so the samples
become rarer the more they cost, and the longer the run is.
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from gotcha_sanitizer.events import Memory
from gotcha_sanitizer.hooks import Context, internals
from gotcha_sanitizer.hooks.holders import Group, Held, holder

_SHARE = 0.0015  # of the run's time
_GRACE = 0.004  # seconds that are always allowed
_SOONEST = 0.05  # seconds between samples
_SAMPLES = 20  # the next comes after a 20th of the time so far, at the earliest,
_LEAST = 6  # and after a 6th at the latest, however many arrays there are to count
_GROUPS = 40  # of a sample that are kept
_GREW = 20  # arrays gained, and none lost: then the holder is looked for
_RISES = 4  # samples


class Samples:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.cost = self.spent = 0.0  # seconds: of the last sample, of all
        self.searched = 0.0  # seconds spent on looking for holders
        self.held: dict[Group, Held] = {}
        self._recent: dict[Group, deque[int]] = {}

    def job(self) -> float | None:
        """A sample, for the ticker; gives the seconds until the next."""
        if internals.backend_started(self.context.jax) is False:
            return None
        self.sample()
        now = self.context.now()
        pause = self.cost / _SHARE if self.spent > _GRACE else 0.0
        return max(min(pause, now / _LEAST), now / _SAMPLES)

    def last(self) -> None:
        """At the end, when nobody waits: one more sample, and time to look for holders."""
        self.searched = 0.0
        if internals.backend_started(self.context.jax) is not False:
            self.sample()

    def sample(self) -> None:
        at = self.context.now()
        began, searched = time.thread_time(), self.searched
        counts, size = self._count()
        self._look_for_holders(counts)
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
            )
        )
        # Not the wait for the interpreter's lock, nor the search, which has a share of its own.
        self.cost = time.thread_time() - began - (self.searched - searched)
        self.spent += self.cost

    def _count(self) -> tuple[Counter[Group], int]:
        found: Counter[Any] = Counter()
        for array in self.context.jax.live_arrays():
            found[array.shape, array.dtype] += 1
        counts: Counter[Group] = Counter()
        size = 0
        for (shape, dtype), count in found.items():
            counts[tuple(shape), str(dtype)] += count
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


def resident() -> int:
    """Bytes of this process in main memory; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS; the highest so far


def install(context: Context) -> Callable[[], None]:
    samples = Samples(context)
    context.every(_SOONEST, samples.job)
    context.at_end(samples.last)
    return lambda: None
