"""Linen modules that are written to outside of `setup`, where they are frozen (must).

Silent where a class is not known as a whole, or a decorator that is not known may hand in another
`self`. A method that neither is `__call__` or compact nor is called there may run on a module that
is not bound to its variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import decorators, steps_of, uncaught
from gotcha_lint.program.ir import Function, Span
from gotcha_lint.program.links import Links

_LINEN = "flax.linen.Module"
# While these run, a module is not frozen yet.
_OPEN = frozenset(("setup", "__post_init__", "__init__", "__setattr__", "__setstate__", "__new__"))
_COMPACT = "compact"
_KNOWN = frozenset((_COMPACT, "jit", "remat", "checkpoint"))  # decorators


@dataclass(frozen=True)
class FrozenWrite:
    """`target`: `self.hidden`, say."""

    span: Span
    target: str


def frozen_writes(links: Links, function: Function) -> Iterator[FrozenWrite]:
    """What a method of a linen module writes to its object."""
    body = function.parent
    if body is None or not body.is_class or function.is_class or not function.parameters:
        return
    own = function.parameters[0].name
    makers = links.makers(function)
    writes = [i for i in uncaught(function.body) if i[0] == "setattr"]
    writes = [i for i in writes if (made := makers.get(i[2])) and made[:3:2] == ("load", own)]
    if not writes or _is_open(links, body, function):
        return
    for write in writes:
        if links.stores(body).get(write[3]) is None:  # else a property, say
            yield FrozenWrite(write[-1], f"{own}.{write[3]}")


def _is_open(links: Links, body: Function, function: Function) -> bool:
    """Set-up code, or a method that may run before the module is bound to its variables."""
    lineage = links.lineage(body)
    if lineage is None or not any(_LINEN in parts.library for _, parts in lineage):
        return True
    if any(one.path != body.path for one, _ in lineage) or not decorators(function) <= _KNOWN:
        return True
    classes = {one for one, _ in lineage}
    functions = links.finder.modules[body.path].functions
    methods = [one for one in functions if one.parent in classes]
    if function.name in _OPEN or any(one.name == "__setattr__" for one in methods):
        return True
    before = [one for one in methods if one.name in _OPEN]
    if any(function.name in _named(one) for one in before):
        return True
    inside = [one for one in methods if _is_bound(one)]
    return not _is_bound(function) and not any(function.name in _named(one) for one in inside)


def _is_bound(method: Function) -> bool:
    return method.name == "__call__" or _COMPACT in decorators(method)


def _named(method: Function) -> set[str]:
    """The attributes that a method and the functions in it name."""
    found: set[str] = set()
    todo = [method]
    while todo:
        for i in steps_of(todo.pop()):
            if i[0] in ("attr", "setattr"):
                found.add(i[3])
            elif i[0] == "closure":
                todo.append(i[2])
    return found
