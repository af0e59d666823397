"""Containers that hold the arrays of another one: `dict(params)`, `{**params}`, an identity map.

The copy is a new container, and no array is copied: what donates one takes the arrays of both. It
under-approximates: only a copy whose contents are still those of the original shares them.
"""

from __future__ import annotations

from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import Library, Object, Value
from gotcha_lint.interpret.heap import contents_of, mapping_of
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.data_flow import steps_of

_OF = "copy of"
_DEPTH = 4
_LEAVES_AS_IT_IS = ("jax.numpy.asarray",)  # an array of the device


def shallow(made: Value, of: Value | None) -> Value:
    """Notes that a new container holds what another one holds; None: nothing that is known."""
    copy, source = made.only, None if of is None else of.only
    if isinstance(copy, Object):
        known = source.site if isinstance(source, Object) and source != copy else None
        copy.site.info[_OF] = known
    return made


def original(machine: Machine, atom: Object) -> Site:
    """The container that the arrays of this one come from, through copies of copies."""
    for _ in range(_DEPTH):
        source: Site | None = atom.site.info.get(_OF)
        if source is None or not _hold_the_same(machine, atom, Object(source)):
            break
        atom = Object(source)
    return atom.site


def gives_back(function: Value) -> bool:
    """Does a function give what it is given, as `lambda leaf: leaf` does?"""
    atom = function.only
    if isinstance(atom, Library):
        return atom.name in _LEAVES_AS_IT_IS
    if not isinstance(atom, Object) or atom.site.kind != "function":
        return False
    code = atom.site.info["function"]
    steps = list(steps_of(code))
    if len(steps) != 2 or len(code.parameters) != 1 or [i[0] for i in steps] != ["load", "return"]:
        return False
    return steps[0][2] == code.parameters[0].name and steps[1][2] == steps[0][1]


def _hold_the_same(machine: Machine, copy: Object, source: Object) -> bool:
    for read in (mapping_of, contents_of):
        held = read(machine, copy)
        if held is not None:
            return held == read(machine, source)
    return False
