"""Words of code that means the axes of its meshes to be explicit."""

from __future__ import annotations

EXPLICIT = frozenset({"Explicit", "explicit_axes", "auto_axes", "reshard"})
# In the file that makes the mesh, what only asks for the axes counts as well: of a file beside it
# that would not tell which mesh is meant.
EXPLICIT_HERE = EXPLICIT | {"AxisType", "typeof", "out_sharding"}
