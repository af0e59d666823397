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
import jax.numpy as jnp

from benchmarks.prices import Step

KINDS = ("bad", "good")
STEPS = 12  # turns of each
TURN = 0.02  # seconds that a turn should take
_compiles = 0


def _on_duration(event: str, seconds: float, **_: Any) -> None:
    global _compiles
    _compiles += event == "/jax/core/compile/backend_compile_duration"


def steps(module: ModuleType) -> dict[str, Any]:
    """Seconds and compiles of a step, bad and good in turn; the first turns are not counted."""
    made: dict[str, Step] = {kind: getattr(module, kind)() for kind in KINDS}
    seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
    compiles = dict.fromkeys(KINDS, 0.0)
    times = {kind: _times(made[kind]) for kind in KINDS}
    for number in range(STEPS + 1):
        for kind in KINDS if number % 2 else reversed(KINDS):
            before, start = _compiles, now()
            for _ in range(times[kind]):
                made[kind]()
            spent = (now() - start) / times[kind]
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
    start = now()
    step()
    return max(1, min(40, int(TURN / max(now() - start, 1e-6))))


def now() -> float:
    """On a CPU the CPU seconds of the whole process, all its threads: others on the machine do not
    disturb it. Elsewhere the wall clock, once the device has done what it was sent: it works in
    order, so that waiting for something that was sent last is enough.
    """
    if jax.default_backend() == "cpu":
        return time.process_time()
    jax.block_until_ready(_last(0.0))
    return time.perf_counter()


@jax.jit
def _last(x: jax.typing.ArrayLike) -> jax.Array:
    return jnp.add(x, 1)


def measure(name: str) -> dict[str, Any]:
    module = import_module(f"benchmarks.prices.{name.replace('-', '_')}")
    found: dict[str, Any] = {"step": (module.__doc__ or "").strip()}
    found["device"] = jax.devices()[0].device_kind
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
