"""The ways to show a run, one file each, found by being there.

A reporter is a module with `render(run: Run) -> str`. A leading `_` marks a helper. The linter's
formats (`gotcha_lint.formats`) show a run's findings too.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gotcha_sanitizer.run.record import Run


def names() -> list[str]:
    """The reporters that exist."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))


def load(name: str) -> Callable[[Run], str]:
    """The `render` of a reporter."""
    return import_module(f"{__name__}.{name}").render
