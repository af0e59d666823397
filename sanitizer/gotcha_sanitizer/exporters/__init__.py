"""Runs in the formats of other tools, each written by the tool's own library behind an extra.

An exporter is a module with `EXTRA`, the name of the extra or "" where Python is enough, and
`write(run, path)`. It imports its library in `write`, so that its name is known without it.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType


def names() -> list[str]:
    """The exporters that exist."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))


def load(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name}")
