"""Batches that are split over the devices of all hosts, for `pmap` (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.reader import NamedReader

_COUNT, _ALL = "jax.device_count", "jax.devices"
_RESHAPES = frozenset(("reshape",))


@dataclass(frozen=True)
class Split:
    """`span`: of the count; `use`: of what is split by it, and its file."""

    span: Span
    use: tuple[str, Span]


def splits_by_all(module: Module, function: Function, links: Links) -> Iterator[Split]:
    """The places of one function, or of what it calls, that split by a count of all devices."""
    names = names_used(function)
    if names.isdisjoint(("device_count", "devices", *_RESHAPES)) or not _is_asked(module):
        return
    reader = NamedReader(module, function)
    for call in steps_of(function):
        if call[0] != "call":
            continue
        first = _leading(reader, call)
        count = _count(module, function, reader, first) if first is not None else None
        if count is not None:
            yield Split(count, (function.path, call[-1]))
        for place, (star, register) in enumerate(call[3]):
            count = _count(module, function, reader, register) if not star else None
            use = _split_in(module, function, links, call, place) if count is not None else None
            if count is not None and use is not None:
                yield Split(count, use)


def _is_asked(module: Module) -> bool:
    """Does the file use `pmap`, and count devices?"""
    used = set().union(*map(names_used, module.functions))
    return "pmap" in used and not used.isdisjoint(("device_count", "devices"))


def _count(
    module: Module, function: Function, reader: NamedReader, register: Register
) -> Span | None:
    """Where all devices were counted, of which this is the number; None where it is none."""
    made = reader.made(register)
    if made is None:
        return None
    if made[0] == "call":
        return made[-1] if _counts(reader, made) else None
    if made[0] != "load" or made[3] == 0:
        return None
    owner = module.top if made[3] == -1 else _around(function, made[3])
    if owner is None or owner is function:
        return None
    stored = [i for i in steps_of(owner) if i[0] == "store" and i[2] == made[2]]
    if len(stored) != 1:
        return None
    outer = NamedReader(module, owner)
    there = outer.made(stored[0][4])
    counted = there is not None and there[0] == "call" and _counts(outer, there)
    return there[-1] if there is not None and counted else None


def _around(function: Function, hops: int) -> Function | None:
    owner: Function | None = function
    for _ in range(hops):
        owner = owner.parent if owner is not None else None
    return owner


def _counts(reader: NamedReader, call: Instruction) -> bool:
    """`jax.device_count()`, `len(jax.devices())`."""
    if reader.dotted(call[2]) == _COUNT:
        return not call[3]
    if reader.function_of(call) != "len" or len(call[3]) != 1:
        return False
    made = reader.made(call[3][0][1])
    return made is not None and made[0] == "call" and reader.dotted(made[2]) == _ALL


def _leading(reader: NamedReader, call: Instruction) -> Register | None:
    """The first size of a `reshape`."""
    if reader.function_of(call) not in _RESHAPES:
        return None
    given = [register for star, register in call[3] if not star]
    given = given if reader.is_method(call) else given[1:]
    if not given:
        return None
    made = reader.made(given[0])
    while made is not None and made[0] == "binop" and made[2] == "Add":
        made = reader.made(made[3])
    if made is not None and made[0] == "build" and made[3]:
        return None if made[3][0][0] else made[3][0][1]
    return given[0]


def _split_in(
    module: Module, function: Function, links: Links, call: Instruction, place: int
) -> tuple[str, Span] | None:
    """Where the function that is called, or one within, splits by its parameter of this place."""
    link = links.of_register(function, call[2])
    if link is None or link.kind != "function" or link.function.path != module.path:
        return None
    called = link.function
    places = [one.name for one in called.parameters if one.kind == "pos"][link.bound :]
    if place >= len(places):
        return None
    for one in module.functions:
        if one is not called and one.parent is not called:
            continue
        reader = NamedReader(module, one)
        for step in steps_of(one):
            first = _leading(reader, step) if step[0] == "call" else None
            made = reader.made(first) if first is not None else None
            hops = 0 if one is called else 1
            if made is not None and made[0] == "load" and made[2:4] == (places[place], hops):
                return one.path, step[-1]
    return None
