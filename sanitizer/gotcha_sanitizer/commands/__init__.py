"""The commands of `gotcha-sanitize`, one file each, found by being there.

A command is a module with `command`, a click command whose callback returns an exit code or None.
A leading `_` marks a helper.
"""

from __future__ import annotations

import pkgutil


def names() -> list[str]:
    """The commands that exist, as they are typed."""
    found = (m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))
    return sorted(name.replace("_", "-") for name in found)
