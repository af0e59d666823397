"""Words of code that means the axes of its meshes to be explicit."""

from __future__ import annotations

EXPLICIT = frozenset({"Explicit", "explicit_axes", "auto_axes", "reshard"})
