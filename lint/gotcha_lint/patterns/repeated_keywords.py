"""Arguments that a call gets twice: by name, and in the dict that `**` spreads (floor `patterns`).

Must: of a dict that is written out, bound once, and that nothing changes; and of the `**options` of
a function that passes them on as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import steps_of, uncaught
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.links import Links

_READS = frozenset(("get", "keys", "values", "items", "copy"))
_LEAVES = frozenset(("return", "raise", "yield"))


@dataclass(frozen=True)
class Forwarded:
    """A call that spreads the `**options` of its function, and the names that it gives besides."""

    names: frozenset[str]
    span: Span
    certain: bool  # each call of the function comes here


def spread_twice(links: Links, function: Function, call: Instruction) -> str | None:
    """`f(width=3, **options)`, where `options = {"width": 4}`: the name that is given twice."""
    given = {name for name, _ in call[4] if name is not None}
    for name, register in call[4]:
        if name is None:
            keys = _keys(links, function, register)
            twice = next((key for key in keys if key in given), None)
            if twice is not None:
                return twice
            given.update(keys)
    return None


def forwarded(function: Function) -> Iterator[Forwarded]:
    """The calls that are given what the function is given by any other name."""
    options = next((p.name for p in function.parameters if p.kind == "**"), None)
    if options is None or function.is_generator or function.is_async:
        return
    loads = _loads(function, options, 0)
    if _is_changed(function, options, 0, loads, True):
        return
    always = set(map(id, _always(function)))
    for i in uncaught(function.body):
        if i[0] == "call" and any(name is None and one in loads for name, one in i[4]):
            names = frozenset(name for name, _ in i[4] if name is not None)
            if names:
                yield Forwarded(names, i[-1], id(i) in always)


def _keys(links: Links, function: Function, register: Register) -> Collection[str]:
    """The keys of a dict that is written out."""
    owner, made = function, links.makers(function).get(register)
    if made is not None and made[0] == "load" and made[3] in (0, -1):
        if made[3] == -1:
            owner = links.finder.modules[function.path].top
        stored = links.stores(owner).get(made[2], [])
        if len(stored) != 1 or _may_differ(links, owner, made[2]):
            return ()
        made = links.makers(owner).get(stored[0])
    if made is None:
        return ()
    if made[0] == "dict":
        makers = links.makers(owner)
        keys = (makers.get(key) for key, _ in made[2] if key is not None)
        return [key[2] for key in keys if key and key[0] == "const" and isinstance(key[2], str)]
    if made[0] == "call" and links.dotted(owner, made[2]) == "builtins.dict":
        return [name for name, _ in made[4] if name is not None]
    return ()


def _may_differ(links: Links, owner: Function, name: str) -> bool:
    """Is the name, which is bound once, a parameter too, or is its dict changed anywhere?"""
    if not owner.is_module:
        is_given = any(p.name == name for p in owner.parameters)
        loads = _loads(owner, name, 0)
        return is_given or name in owner.captured or _is_changed(owner, name, 0, loads, False)
    if name in links.names_rebound(owner.path):
        return True
    readers = links.bodies(links.finder.modules[owner.path])
    return any(_is_changed(one, name, -1, _loads(one, name, -1), False) for one in readers)


def _loads(function: Function, name: str, hops: int) -> set[Register]:
    return {i[1] for i in steps_of(function) if i[0] == "load" and i[2:4] == (name, hops)}


def _is_changed(
    function: Function, name: str, hops: int, loads: set[Register], stores: bool
) -> bool:
    """Something may take an entry out of it, or asks which it has."""
    return any(
        (stores and i[0] == "store" and i[2:4] == (name, hops)) or _changes(i, loads)
        for i in steps_of(function)
    )


def _changes(step: Instruction, loads: set[Register]) -> bool:
    if step[0] == "attr":
        return step[2] in loads and step[3] not in _READS
    if step[0] == "compare":
        return not loads.isdisjoint(step[3:5])
    if step[0] == "delete":
        return step[2] == "item" and step[3][0] in loads
    if step[0] == "call":
        return any(register in loads for _, register in step[3])
    if step[0] == "store":
        return step[4] in loads
    return step[0] == "if" and step[2] in loads


def _always(function: Function) -> Iterator[Instruction]:
    """The instructions that each call of the function comes to."""
    for i in function.body:
        yield i
        regions = [part for part in i if isinstance(part, list)]
        if i[0] in _LEAVES or any(_leaves(region) for region in regions):
            return


def _leaves(code: list[Instruction] | list[list[Instruction]]) -> bool:
    for i in code:
        if isinstance(i, list):
            if _leaves(i):
                return True
        elif i[0] in _LEAVES or any(_leaves(part) for part in i if isinstance(part, list)):
            return True
    return False
