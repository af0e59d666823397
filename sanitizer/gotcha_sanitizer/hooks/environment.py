"""Variables and flags that came too late, a GPU that is not used, a cache that stores nothing.

Compares what is set now with what was set when it was read: JAX's variables at its import, those of
XLA when the backend starts. Starts nothing itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gotcha_lint.facts.environment import READ_AT_START
from gotcha_sanitizer.explain.sources import setting_line
from gotcha_sanitizer.hooks import Context, internals, private
from gotcha_sanitizer.values.events import Setting

_GPUS = ("/dev/nvidia0", "/dev/kfd")
_HIDDEN = {"", "-1", "none", "NoDevFiles"}
_YES, _NO = {"1", "true", "yes", "on", "y", "t"}, {"0", "false", "no", "off", "n", "f", ""}


class Environment:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.imported = _variables()
        self.defaults = dict(internals.flags(context.jax))
        self.started: Mapping[str, str] | None = None  # variables when the backend started
        self.config: Mapping[str, Any] = {}  # JAX's flags then
        events = (private.CACHE_REQUEST, private.CACHE_HIT, private.CACHE_MISS)
        self.cache: dict[str, int] = dict.fromkeys(events, 0)
        self._told: set[str] = set()
        self._seen_x64 = 0

    # -- listeners: called by JAX, must not raise ------------------------------------------------

    def on_duration(self, event: str, seconds: float, **details: Any) -> None:
        if self.started is None and event.startswith("/jax/core/compile/backend"):
            self.context.guard("environment", self._start)

    def on_event(self, event: str, **details: Any) -> None:
        if event in self.cache:
            self.context.guard("environment", self._count, event)

    # ---------------------------------------------------------------------------------------------

    def _count(self, event: str) -> None:
        self.cache[event] += 1

    def _start(self) -> None:
        self.started, self.config = _variables(), dict(internals.flags(self.context.jax))

    def look(self) -> None:
        """Every second, and when the program ends."""
        now, flags = _variables(), internals.flags(self.context.jax)
        for name, value in now.items():
            of_jax = name.startswith("JAX_")
            if of_jax and value != self.imported.get(name):
                self._variable_of_jax(name, value, flags)
            elif not of_jax and self.started is not None and value != self.started.get(name):
                self._tell(name, f"`{name}` was set after the backend had read it")
        if self.started is not None and flags:
            self._flags(flags)
            self._fallback()

    def _variable_of_jax(self, name: str, value: str, flags: Mapping[str, Any]) -> None:
        flag = name.lower()
        known = [values[flag] for values in (self.defaults, flags) if flag in values]
        if known and not any(_agrees(value, each) for each in known):
            self._tell(name, f"`{name}` was set after jax was imported, which is when it is read")

    def _flags(self, flags: Mapping[str, Any]) -> None:
        if flags.get("jax_platforms") != self.config.get("jax_platforms"):
            self._tell("jax_platforms", "`jax_platforms` was changed after the backend had started")
        late = flags.get("jax_enable_x64") and not self.config.get("jax_enable_x64")
        self._seen_x64 = self._seen_x64 + 1 if late else 0
        if self._seen_x64 > 1:  # a test may switch it on for a moment
            self._late_x64()

    def _late_x64(self) -> None:
        problem = "64-bit arrays were switched on after arrays of 32 bits had been made"
        self._tell("jax_enable_x64", problem, "x64-set-too-late")

    def _fallback(self) -> None:
        if self.context.jax.default_backend() != "cpu":
            return
        wanted = str(self.config.get("jax_platforms") or "").split(",")
        if wanted[0] not in ("", "cpu"):
            problem = f"`jax_platforms` asks for {wanted[0]} first, but JAX runs on the CPU"
        elif wanted[0] == "" and (gpu := _gpu()):
            problem = f"there is a GPU ({gpu}), but JAX runs on the CPU"
        else:
            return
        self._tell("jax_platforms", problem, "silent-cpu-fallback", locate=False)

    def end(self) -> None:
        self.look()
        if self._seen_x64:
            self._late_x64()
        directory = internals.flags(self.context.jax).get("jax_compilation_cache_dir")
        kept = self.cache[private.CACHE_HIT] + self.cache[private.CACHE_MISS]
        asked = self.cache[private.CACHE_REQUEST]
        if not directory or not asked or kept:
            return
        if internals.process_index(self.context.jax) not in (None, 0):  # only the first host stores
            return
        least = internals.flags(self.context.jax).get("jax_persistent_cache_min_compile_time_secs")
        problem = (
            f"the compile cache stored none of {asked} programs and found none: it "
            f"leaves out what compiles in less than {least} s"
        )
        self._tell("jax_compilation_cache_dir", problem, "compile-cache-unused")

    def _tell(
        self, name: str, problem: str, gotcha: str = "environment-set-too-late", locate: bool = True
    ) -> None:
        if gotcha + name not in self._told:
            self._told.add(gotcha + name)
            site = setting_line(name) if locate else None
            self.context.emit(Setting(self.context.now(), name, problem, site, gotcha))


def _variables() -> dict[str, str]:
    wanted = ("JAX_", *READ_AT_START)
    return {name: value for name, value in os.environ.items() if name.startswith(wanted)}


def _agrees(text: str, value: Any) -> bool:
    """True where a variable says what the flag already is."""
    if isinstance(value, bool):
        return text.lower() in (_YES if value else _NO)
    return text == ("" if value is None else str(value))


def _gpu() -> str:
    """The device file of a GPU that this process may use, or ''."""
    hidden = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
    if any(os.environ.get(name) in _HIDDEN for name in hidden):
        return ""
    return next((path for path in _GPUS if Path(path).exists()), "")


def install(context: Context) -> Callable[[], None]:
    environment = Environment(context)
    monitoring = context.jax.monitoring
    monitoring.register_event_duration_secs_listener(environment.on_duration)
    monitoring.register_event_listener(environment.on_event)
    context.every(1.0, environment.look)
    context.at_end(environment.end)

    def uninstall() -> None:
        internals.unregister(context.jax, environment.on_duration)
        internals.unregister(context.jax, environment.on_event)

    return uninstall
