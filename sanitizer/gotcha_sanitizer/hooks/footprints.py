"""How much memory each compiled program asks for: what XLA has kept of its own plan.

Read once, at the end of a run that has a record: nothing is compiled for it. Programs that the
process has let go of by then are not seen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from gotcha_sanitizer.hooks import Context, internals
from gotcha_sanitizer.values.events import Footprints

_MOST = 0.2  # seconds


def footprints(jax: Any) -> dict[str, int]:
    """Bytes by the name of the jitted function."""
    found: dict[str, int] = {}
    ends = time.perf_counter() + _MOST
    for program in _programs(jax):
        name = program.hlo_modules()[0].name.removeprefix("jit_")
        found[name] = max(found.get(name, 0), _bytes(program.get_compiled_memory_stats()))
        if time.perf_counter() > ends:
            break
    return found


def _programs(jax: Any) -> Iterator[Any]:
    for client in {id(device.client): device.client for device in jax.devices()}.values():
        yield from client.live_executables()


def _bytes(stats: Any) -> int:
    """A buffer that is donated is an argument and a result at once: it counts once."""
    parts = ("argument", "output", "temp")
    whole = sum(getattr(stats, f"{part}_size_in_bytes") for part in parts)
    return whole - stats.alias_size_in_bytes


def install(context: Context) -> Callable[[], None]:
    def last() -> None:
        if internals.backend_started(context.jax) is not False:
            context.emit(Footprints(context.now(), footprints(context.jax)))

    if context.options.log_path:
        context.at_end(last)
    return lambda: None
