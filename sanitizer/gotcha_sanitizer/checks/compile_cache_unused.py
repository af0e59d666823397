"""A compile cache that stores nothing."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.checks.settings import setting_finding
from gotcha_sanitizer.values.events import Setting
from gotcha_sanitizer.values.finding import Finding

_FIX = "set `jax_persistent_cache_min_compile_time_secs` to 0, so that quick compiles are kept too"


class CompileCacheUnused(Check):
    """Counts what JAX looks up in its persistent cache, finds there and stores there.

    ## Instead
    Set `jax_compilation_cache_dir` before the first compile, to a folder that can be written.
    """

    def on(self, event: Setting) -> Iterator[Finding]:
        if event.gotcha == self.name():
            yield setting_finding(event, "warning", _FIX)
