"""Meshes of devices: which are entered, and which are made (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Span
from gotcha_lint.program.origins import Origins

_MESHES = frozenset(("jax.sharding.Mesh", "jax.make_mesh"))
_NEWER = frozenset(("set_mesh", "use_mesh"))


def entered_meshes(origins: Origins, function: Function) -> Iterator[Span]:
    """`with mesh:` in one function."""
    for i in steps_of(function):
        if i[0] == "enter" and origins.library_given(function, i[2]) in _MESHES:
            yield i[-1]


def sets_meshes(functions: list[Function]) -> bool:
    """Do they use what has taken its place?"""
    return any(
        i[0] in ("attr", "load") and (i[3] if i[0] == "attr" else i[2]) in _NEWER
        for function in functions
        for i in steps_of(function)
    )
