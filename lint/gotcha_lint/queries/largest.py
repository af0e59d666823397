"""Numbers of which only the place of the largest is taken."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.looked_at import bound_by, uses_of
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.facts.jax import LARGEST


def only_largest_counts(site: Call) -> bool:
    """The place of the largest is all that is taken of it."""
    uses, names = uses_of(site.body, site.at.statement), bound_by(site.at.statement)
    if uses is None or not uses.readers:
        return False
    for line in uses.readers:
        calls = (site.body.call_of(node) for node in walk(line) if isinstance(node, cst.Call))
        largest = [call.node for call in calls if call is not None and call.name in LARGEST]
        inside = {id(part) for node in largest for part in walk(node)}
        read = [n for n in walk(line) if isinstance(n, cst.Name) and n.value in names]
        if not all(id(node) in inside for node in read):
            return False
    return True
