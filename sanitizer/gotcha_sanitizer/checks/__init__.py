"""One file per check, found by being there. No check imports JAX."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from gotcha_sanitizer.check import Check


@cache
def checks() -> dict[str, type[Check]]:
    """Every check by its name, in order."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        for value in vars(import_module(f"{__name__}.{module.name}")).values():
            if isinstance(value, type) and issubclass(value, Check) and value is not Check:
                found[value.name()] = value
    return dict(sorted(found.items()))
