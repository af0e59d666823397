"""A runtime sanitizer for JAX training programs: `GOTCHA_SANITIZE=1 python train.py`.

Importing this package imports nothing else; the functions below load what they need at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gotcha_sanitizer.api import NotWatching as NotWatching
    from gotcha_sanitizer.api import Recompiled as Recompiled
    from gotcha_sanitizer.api import budget as budget
    from gotcha_sanitizer.api import history as history
    from gotcha_sanitizer.api import no_recompile as no_recompile
    from gotcha_sanitizer.api import report as report
    from gotcha_sanitizer.api import start as start
    from gotcha_sanitizer.api import stop as stop
    from gotcha_sanitizer.gradients import check_gradients as check_gradients
    from gotcha_sanitizer.hooks.jaxprs import MissingInJax as MissingInJax
    from gotcha_sanitizer.nan import first_nan as first_nan
    from gotcha_sanitizer.tree_table import describe as describe
    from gotcha_sanitizer.user.sharding import collectives as collectives

_WHERE = {
    "NotWatching": "api",
    "Recompiled": "api",
    "start": "api",
    "stop": "api",
    "report": "api",
    "no_recompile": "api",
    "budget": "api",
    "history": "api",
    "first_nan": "nan",
    "check_gradients": "gradients",
    "MissingInJax": "hooks.jaxprs",
    "describe": "tree_table",
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
