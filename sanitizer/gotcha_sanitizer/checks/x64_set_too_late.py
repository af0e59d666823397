"""64-bit arrays switched on when arrays exist."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.checks.settings import setting_finding
from gotcha_sanitizer.values.events import Setting
from gotcha_sanitizer.values.finding import Finding

_FIX = 'call `jax.config.update("jax_enable_x64", True)` directly below the imports'


class X64SetTooLate(Check):
    """Sees the global switch go on after the first program was compiled.

    Switching it on for a while, as tests do with a context manager, is not reported.
    """

    def on(self, event: Setting) -> Iterator[Finding]:
        if event.gotcha == self.name():
            yield setting_finding(event, "warning", _FIX)
