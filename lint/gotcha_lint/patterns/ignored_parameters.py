"""Parameters of a method that it never reads, and what it reads of its object (floor `patterns`).

Must: no function within reads the parameter either, and the class is a plain one. A class with a
hash of its own, and one that JAX takes apart, are known by what they hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.program.data_flow import reads_name, steps_of
from gotcha_lint.program.ir import Function, Span
from gotcha_lint.program.links import Links

_HASHED = frozenset(("__hash__", "__eq__"))
_BY_CONTENTS = frozenset(
    ("flax.nnx.Module", "flax.nnx.Pytree", "equinox.Module", "flax.linen.Module", "haiku.Module",
     "flax.struct.PyTreeNode", "typing.NamedTuple", "enum.Enum")
)  # fmt: skip


def unread_parameters(function: Function) -> list[str]:
    """Those behind the receiver; a name with an underscore says that it is meant."""
    names = [p.name for p in function.parameters[1:] if not p.name.startswith("_")]
    return [name for name in names if not reads_name(function.body, name)]


def own_attributes(function: Function) -> Iterator[tuple[str, Span]]:
    """Reads of `self.x`, also in functions within; no calls of methods, nor `self.x += 1`."""
    receiver = function.parameters[0].name if function.parameters else ""
    todo = [function]
    while todo:
        one = todo.pop(0)
        steps = steps_of(one)
        bases = {i[1] for i in steps if i[0] == "load" and i[2] == receiver}
        others = {i[2] for i in steps if i[0] == "call"}
        others |= {i[3] for i in steps if i[0] == "augment"}
        for i in steps:
            if i[0] == "attr" and i[2] in bases and i[1] not in others:
                yield i[3], i[-1]
            elif i[0] == "closure" and all(p.name != receiver for p in i[2].parameters):
                todo.append(i[2])


def is_of_plain_class(links: Links, function: Function) -> bool:
    """Is it a method of a class whose objects are known by identity alone?"""
    body = function.parent
    lineage = links.lineage(body) if body is not None and body.is_class else None
    return lineage is not None and all(
        _HASHED.isdisjoint(one.locals)
        and not parts.decorators
        and _BY_CONTENTS.isdisjoint(parts.library)
        for one, parts in lineage
    )


def ignored_parameters(links: Links, function: Function) -> Iterator[tuple[str, Span]]:
    """Parameters whose place an attribute of the same name takes, and where it is read."""
    unread = unread_parameters(function)
    if unread and is_of_plain_class(links, function):
        reads = dict(reversed(list(own_attributes(function))))
        yield from ((name, reads[name]) for name in unread if name in reads)
