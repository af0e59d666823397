"""Is a class surely nothing that JAX takes apart, by the text of the program (floor `program`)?

It under-approximates: a class counts as plain where all its bases and decorators are known to make
no tree of it, nothing registers it, and what derives from it is plain too: `self` may be that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register
from gotcha_lint.program.links import Links

_BASES = frozenset(("builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"))
_DECORATORS = frozenset(
    ("dataclasses.dataclass", "typing.final", "functools.total_ordering", "attr.s", "attrs.define")
)
_METACLASSES = frozenset(("abc.ABCMeta", "builtins.type"))
# Methods by which a class becomes a tree or an array, or makes its subclasses one.
_TELLING = frozenset(
    ("tree_flatten", "flatten", "__jax_array__", "__init_subclass__", "__array__", "__getattr__")
)


def is_plain_class(links: Links, paths: Iterable[str], body: Function) -> bool:
    """Of the class with this body; `paths`: the files in which others may derive from it."""
    own = _ancestors(links, body)
    if own is None:
        return False
    family = {body, *own}
    for path in paths:
        for other in links.bodies(links.finder.modules[path]):
            if other.is_class and other is not body and _is_below(links, other, body):
                found = _ancestors(links, other)
                if found is None:
                    return False
                family |= {other, *found}
    return all(_is_ordinary(links, one) for one in family)


def _ancestors(links: Links, body: Function) -> list[Function] | None:
    lineage = links.lineage(body)
    return None if lineage is None else [one for one, _ in lineage]


def _is_below(links: Links, other: Function, body: Function) -> bool:
    parts = links.class_parts(other)
    bases = [] if parts is None else [base.function for base in parts.bases]
    return any(base is body or _is_below(links, base, body) for base in bases if base is not other)


def _is_ordinary(links: Links, body: Function) -> bool:
    parts = links.class_parts(body)
    if parts is None or not _TELLING.isdisjoint(body.locals):
        return False
    owner = body.parent or links.finder.modules[body.path].top
    made = next(i for i in steps_of(owner) if i[0] == "class" and i[2] is body)
    metaclasses = {links.dotted(owner, register) for _, register in made[4]}
    return (
        _BASES.issuperset(parts.library)
        and _METACLASSES.issuperset(metaclasses)
        and _DECORATORS.issuperset(_decorators(links, owner, made[1]))
        and not _is_registered(links, body)
    )


def _decorators(links: Links, owner: Function, register: Register) -> Iterator[str]:
    """Their full names; "" for one that is not known."""
    makers = links.makers(owner)
    for i in steps_of(owner):
        if i[0] == "call" and tuple(i[3]) == ((False, register),) and not i[4]:
            made = makers.get(i[2])
            callee = made[2] if made is not None and made[0] == "call" else i[2]
            yield links.dotted(owner, callee)
            register = i[1]


def _is_registered(links: Links, body: Function) -> bool:
    """`register_dataclass(Model, ...)`, anywhere in its file."""
    module = links.finder.modules[body.path]
    return any(
        _names(links, function, i, body.name)
        for function in module.functions
        for i in steps_of(function)
        if i[0] == "call" and "register" in links.word(function, i[2])
    )


def _names(links: Links, function: Function, call: Instruction, name: str) -> bool:
    given = [register for _, register in (*call[3], *call[4])]
    return any(links.word(function, register) == name for register in given)
