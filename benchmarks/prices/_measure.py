"""Measures one gotcha's file in this process: `python -m benchmarks.prices._measure NAME`."""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from statistics import median
from types import ModuleType
from typing import Any

import jax
import jax.monitoring

from benchmarks.prices import Step

KINDS = ("bad", "good")
STEPS = 12  # turns of each
TURN = 0.02  # seconds that a turn should take
_compiles = 0


def _on_duration(event: str, seconds: float, **_: Any) -> None:
    global _compiles
    _compiles += event == "/jax/core/compile/backend_compile_duration"


def steps(module: ModuleType) -> dict[str, Any]:
    """CPU seconds and compiles of a step, bad and good in turn; the first turns are not counted.

    CPU time of the whole process, all its threads: others on the machine do not disturb it.
    """
    made: dict[str, Step] = {kind: getattr(module, kind)() for kind in KINDS}
    seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
    compiles = dict.fromkeys(KINDS, 0.0)
    times = {kind: _times(made[kind]) for kind in KINDS}
    for number in range(STEPS + 1):
        for kind in KINDS if number % 2 else reversed(KINDS):
            before, start = _compiles, time.process_time()
            for _ in range(times[kind]):
                made[kind]()
            spent = (time.process_time() - start) / times[kind]
            if number:
                seconds[kind].append(spent)
                compiles[kind] += (_compiles - before) / times[kind]
    return {
        "seconds": {kind: median(seconds[kind]) for kind in KINDS},
        "compiles": {kind: compiles[kind] / STEPS for kind in KINDS},
    }


def _times(step: Step) -> int:
    """How many steps make a turn: enough for the clock, after the first that compiles."""
    step()
    start = time.process_time()
    step()
    return max(1, min(40, int(TURN / max(time.process_time() - start, 1e-6))))


def measure(name: str) -> dict[str, Any]:
    module = import_module(f"benchmarks.prices.{name.replace('-', '_')}")
    found: dict[str, Any] = {"step": (module.__doc__ or "").strip()}
    if hasattr(module, "bad"):
        found |= steps(module)
    if hasattr(module, "bad_bytes"):
        found["bytes"] = {kind: getattr(module, f"{kind}_bytes")() for kind in KINDS}
        found["bytes_of"] = module.BYTES
    return found


if __name__ == "__main__":
    listener: Any = _on_duration  # its declared type wants positional-only parameters
    jax.monitoring.register_event_duration_secs_listener(listener)
    print(json.dumps(measure(sys.argv[1])))
