"""Programs that run on the CPU next to a GPU."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.checks.settings import setting_finding
from gotcha_sanitizer.values.events import Setting
from gotcha_sanitizer.values.finding import Finding

_FIX = (
    "install the plugin for the GPU (`pip install jax[cuda13]`) and look at `jax.devices()`; "
    "if the CPU is meant, say so: `JAX_PLATFORMS=cpu`"
)


class SilentCpuFallback(Check):
    """Looks, once the backend runs, for a GPU that was asked for or is there, but is not used.

    ## Instead
    Install the plugin of the accelerator, or set `JAX_PLATFORMS=cpu` to say that it is meant.
    """

    def on(self, event: Setting) -> Iterator[Finding]:
        if event.gotcha == self.name():
            yield setting_finding(event, "warning", _FIX)
