"""Arrays that went through pickle from the device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.values.events import Pickled
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.words import plural, size

_KEY_SHAPES = ((2,), (4,))  # their last dimension
_SHOWN, _LISTED = 3, 10
_OWN_WAY = ("an Orbax checkpoint",)  # libraries that know what they do


@dataclass
class _Sum:
    arrays: int = 0
    bytes: int = 0
    kinds: dict[str, None] = field(default_factory=dict)  # in order


class DeviceArrayPickled(Check):
    """Sees each device array that is pickled: to a file, a queue, a pipe or another process.

    Copies by `copy` and `deepcopy`, and the pickling that JAX does for itself, are not counted.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._sums: dict[tuple[Site | None, str], _Sum] = {}

    def on(self, event: Pickled) -> Iterator[Finding]:
        if event.how in _OWN_WAY:
            return
        found = self._sums.setdefault((event.site, event.how), _Sum())
        found.arrays += 1
        found.bytes += event.bytes
        found.kinds[_kind(event)] = None
        yield Finding(
            name="device-array-pickled",
            message=f"{plural(found.arrays, 'device array')} ({size(found.bytes)}) went through "
            f"{event.how}: each is copied to the host by itself, and loses its sharding; "
            f"{_shown(list(found.kinds))}",
            site=event.site,
            advice="fetch the whole tree first, with one `jax.device_get`; write checkpoints with "
            "Orbax",
            function=event.site.function if event.site else "",
            count=found.arrays,
            evidence={
                "bytes": found.bytes,
                "through": event.how,
                "arrays": list(found.kinds)[:_LISTED],
            },
            key=(event.site, event.how),
        )


def _kind(event: Pickled) -> str:
    """Like `float32[8,64] on 4 devices`; random keys are pickled as the integers that they are."""
    text = f"{event.dtype}[{','.join(map(str, event.shape))}]"
    if event.devices > 1:
        return f"{text} on {event.devices} devices"
    is_key = event.dtype == "uint32" and event.shape[-1:] in _KEY_SHAPES
    return f"{text} (the shape of a random key)" if is_key else text


def _shown(kinds: list[str]) -> str:
    return ", ".join(kinds[:_SHOWN]) + (f" and {len(kinds) - _SHOWN} more" * (len(kinds) > _SHOWN))
