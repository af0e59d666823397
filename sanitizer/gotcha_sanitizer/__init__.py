"""A runtime sanitizer for JAX training programs: `GOTCHA_SANITIZE=1 python train.py`.

Importing this package imports nothing else; the functions below load what they need at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gotcha_sanitizer.hooks.jaxpr.jaxprs import MissingInJax as MissingInJax
    from gotcha_sanitizer.user.api import NotWatching as NotWatching
    from gotcha_sanitizer.user.api import Recompiled as Recompiled
    from gotcha_sanitizer.user.api import budget as budget
    from gotcha_sanitizer.user.api import history as history
    from gotcha_sanitizer.user.api import no_recompile as no_recompile
    from gotcha_sanitizer.user.api import report as report
    from gotcha_sanitizer.user.api import start as start
    from gotcha_sanitizer.user.api import stop as stop
    from gotcha_sanitizer.user.check_gradients import check_gradients as check_gradients
    from gotcha_sanitizer.user.first_nan import first_nan as first_nan
    from gotcha_sanitizer.user.sharding import collectives as collectives
    from gotcha_sanitizer.user.tree_table import describe as describe

_WHERE = {
    "NotWatching": "user.api",
    "Recompiled": "user.api",
    "start": "user.api",
    "stop": "user.api",
    "report": "user.api",
    "no_recompile": "user.api",
    "budget": "user.api",
    "history": "user.api",
    "first_nan": "user.first_nan",
    "check_gradients": "user.check_gradients",
    "MissingInJax": "hooks.jaxpr.jaxprs",
    "describe": "user.tree_table",
    "collectives": "user.sharding",
}

__all__ = [
    "MissingInJax",
    "NotWatching",
    "Recompiled",
    "budget",
    "check_gradients",
    "collectives",
    "describe",
    "first_nan",
    "history",
    "no_recompile",
    "report",
    "start",
    "stop",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'gotcha_sanitizer' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"gotcha_sanitizer.{_WHERE[name]}"), name)
    globals()[name] = value  # a module of the same name would stand there from now on
    return value
