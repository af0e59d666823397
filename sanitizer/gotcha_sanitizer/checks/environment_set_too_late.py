"""Variables that were set after they had been read."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.checks.settings import setting_finding
from gotcha_sanitizer.values.events import Setting
from gotcha_sanitizer.values.finding import Finding

_FIX = (
    "set `JAX_*` above the first import of jax, flax or optax (or call `jax.config.update`), and "
    "`XLA_FLAGS` before anything makes an array"
)


class EnvironmentSetTooLate(Check):
    """Compares the variables with what they were when JAX and XLA read them.

    Once a second and at the end. A variable that says what JAX does anyway is not reported.
    """

    def on(self, event: Setting) -> Iterator[Finding]:
        if event.gotcha == self.name():
            yield setting_finding(event, "warning", _FIX)
