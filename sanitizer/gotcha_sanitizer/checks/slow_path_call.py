"""Jitted functions whose every call takes the slow way through Python."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.values.events import Program, SlowCall
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site

_OFTEN = 10  # looks, at most twenty a second, that all found the slow path
_TRANSFORMED = "as `vmap` or a gradient outside of jit evaluates it call by call"
_AROUND = "put `jax.jit` around the outermost transformation, and the loop into it (`lax.scan`)"
_OUT = "take `jax.debug.print`, callbacks and debugging flags out of the step"


class SlowPathCall(Check):
    """Notes calls that leave JAX's fast path without compiling anything (Python 3.12 and later).

    An ordered effect does it, as `jax.debug.print(ordered=True)` or a callback, and so do some
    debugging flags; a transformation outside of jit, too, as `jax.vmap` over a Python loop of
    jitted steps.

    ## Instead
    Take ordered `jax.debug.print`, ordered callbacks and debugging flags out of the step; put
    `jax.jit` around the transformation.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._slow: dict[tuple[str, Site | None, bool], int] = {}
        self._compiled: set[str] = set()

    def on(self, event: Program | SlowCall) -> Iterator[Finding]:
        if isinstance(event, Program):
            self._compiled.add(event.function.name)
            self._slow = {k: 0 if k[0] == event.function.name else n for k, n in self._slow.items()}
            return
        if event.function not in self._compiled:
            return
        key = (event.function, event.site, event.transformed)
        count = self._slow[key] = self._slow.get(key, 0) + 1
        if count >= _OFTEN:
            yield Finding(
                name="slow-path-call",
                message=f"`{event.function}` takes the slow path through Python at every call "
                f"that was looked at ({count}), "
                + (_TRANSFORMED if event.transformed else "though it is compiled"),
                site=event.site,
                advice=_AROUND if event.transformed else _OUT,
                function=event.function,
                count=count,
                key=key,
            )
