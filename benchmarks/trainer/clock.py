"""Times that can be compared: in turns, in one process, the best of several rounds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import jax

Calls = Mapping[str, Callable[[], Any]]


def now() -> float:
    """CPU seconds of this process on a CPU, where others may be at work too; else wall clock."""
    return time.process_time() if jax.default_backend() == "cpu" else time.perf_counter()


def once(call: Callable[[], Any], clock: Callable[[], float] = now) -> float:
    """Seconds until the result is there."""
    start = clock()
    # gotcha: shows[timing-without-wait] a call returns when its work is sent
    jax.block_until_ready(call())
    return clock() - start


def best(
    calls: Calls, rounds: int, *, warm: bool = True, clock: Callable[[], float] = now
) -> dict[str, float]:
    """The fewest seconds of each; called once more before, unless that is what is measured."""
    if warm:
        for call in calls.values():
            # gotcha: allow[host-read-every-step] each is compiled before the next one is timed
            jax.block_until_ready(call())
    found = dict.fromkeys(calls, math.inf)
    for _ in range(rounds):
        for name, call in calls.items():
            found[name] = min(found[name], once(call, clock))
    return found


def repeated(call: Callable[[], Any], times: int) -> Callable[[], Any]:
    """For what takes less time than a clock can tell."""

    def many() -> Any:
        for _ in range(times - 1):
            call()
        return call()

    return many
