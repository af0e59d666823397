"""The names that findings of a run can have."""

from __future__ import annotations

from functools import cache

from gotcha_sanitizer.checks import checks


@cache
def names() -> frozenset[str]:
    """Of every check: its own name, or those that it lists."""
    return frozenset(name for check in checks().values() for name in check.finds())
