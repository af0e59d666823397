"""What touches JAX: each file turns one kind of activity into events, found by being there.

A hook is a module with `install(context) -> Callable[[], None]`, called once JAX was imported; what
it returns takes the hook out again. Only `private` knows names that JAX does not document.
"""

from __future__ import annotations

import atexit
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gotcha_sanitizer.options import Options
    from gotcha_sanitizer.run.ticker import Job
    from gotcha_sanitizer.values.events import Event


@dataclass(frozen=True)
class Context:
    """What a hook is given.

    `emit` never raises. `guard(name, function, *args)` calls and returns what the function returns,
    or None when it raised: what went wrong is then kept for the report's `degraded:` lines. `now`
    is seconds since the start. `degraded(name, why)` tells of a feature that does not work here.
    """

    jax: Any  # the module: JAX has no types for what is read here
    emit: Callable[[Event], None]
    guard: Callable[..., Any]
    now: Callable[[], float]
    degraded: Callable[[str, str], None]
    options: Options
    # Seconds, function: called by the ticker; what it returns has it called at once.
    every: Callable[[float, Job], Callable[[], None]]
    at_end: Callable[[Callable[[], object]], object] = atexit.register  # before the last Tick
    say: Callable[[str], None] = lambda text: None  # writes text to standard error, unless `quiet`
    report: Callable[[], str] = lambda: ""  # the report so far
    finish: Callable[[], None] = lambda: None  # ends the run: its summary, report and page


def hooks() -> list[ModuleType]:
    """The modules here that install something."""
    return [module for module in _modules() if hasattr(module, "install")]


@cache
def trace_ends() -> tuple[Callable[..., None], ...]:
    """What is called as `at_trace_end(context, jaxpr, function, site)` after a user's trace."""
    return tuple(each.at_trace_end for each in _modules() if hasattr(each, "at_trace_end"))


def _modules() -> list[ModuleType]:
    """Those in this folder, then those that walk over traced programs."""
    walks = import_module(f"{__name__}.jaxpr")
    return [
        import_module(f"{package}.{found.name}")
        for package, path in ((__name__, __path__), (walks.__name__, walks.__path__))
        for found in pkgutil.iter_modules(path)
    ]
