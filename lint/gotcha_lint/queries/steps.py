"""Compiled calls that change what they are given."""

from __future__ import annotations

from gotcha_lint.analysis.sites import Call

_IN_PLACE = frozenset({"nnx.jit", "nnx.pmap"})


def in_place(call: Call) -> bool:
    """The modules that it is given are changed."""
    return any(via.name in _IN_PLACE for via in call.callee.via)
