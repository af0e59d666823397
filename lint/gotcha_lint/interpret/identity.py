"""What makes a callable the same one for JAX: the sites that it is made of."""

from __future__ import annotations

from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import Method, Object, Value
from gotcha_lint.interpret.events import Identity
from gotcha_lint.interpret.machine import Machine

_DEPTH = 6
_COUNT = ("function", "instance", "optimizer", "class", "transform", "object")


def identity(machine: Machine, callee: Value, depth: int = 0) -> tuple[Identity, ...]:
    """The sites of a function, of what it is made of by transforms, and of a method's receiver."""
    found: list[Identity] = []
    if depth > _DEPTH:
        return ()
    for atom in callee.atoms:
        if isinstance(atom, Method):
            found += identity(machine, atom.receiver, depth + 1)
        elif isinstance(atom, Object) and atom.site.kind in _COUNT:
            found.append(Identity(atom.site, callee.marks, _why(atom.site)))
            if atom.site.kind == "transform":
                found += identity(machine, atom.site.info["inner"], depth + 1)
    return tuple(found)


def compiled_identity(machine: Machine, site: Site) -> tuple[Identity, ...]:
    """The same for what a jit compiles: `jit(f)` of the same `f` shares its programs.

    A bound method is a new object for each evaluation of `self.f`, and its programs go with it.
    """
    inner = site.info["inner"]
    found = identity(machine, inner)
    if any(isinstance(atom, Method) for atom in inner.atoms):
        found = (*found, Identity(site, inner.marks, "a new bound method is compiled here"))
    if site.info.get("rewraps"):  # `f = jit(f)`: each turn compiles what the last one has made
        found = (*found, Identity(site, inner.marks, f"`{site.info['word']}` is put around itself"))
    return found


def _why(site: Site) -> str:
    if site.kind == "function":
        name = site.info["function"].name
        return "this lambda is a new function" if name == "<lambda>" else f"`{name}` is made again"
    if site.kind == "transform":
        return f"`{site.info['word']}` makes a new function"
    return "a new object is made here"
