"""The families of measurements: the files in `measures/`."""

from __future__ import annotations

import importlib
import pkgutil
from typing import cast

from benchmarks.trainer import measures
from benchmarks.trainer.row import Family


def families() -> dict[str, Family]:
    """By name."""
    found = {}
    for info in pkgutil.iter_modules(measures.__path__):
        module = importlib.import_module(f"{measures.__name__}.{info.name}")
        found[info.name] = cast(Family, module)
    return found


def words(family: Family) -> str:
    """The first paragraph of its docstring, as one line."""
    return " ".join((family.__doc__ or "").partition("\n\n")[0].split())
