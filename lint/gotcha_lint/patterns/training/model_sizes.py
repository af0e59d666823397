"""How many layers a model has, as its text shows them (floor `patterns`).

Under-approximates: layers that a library has, and modules of the program, by the one name that they
have; what a field or a list holds is not followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.layers import weighted_layers
from gotcha_lint.program.ir import Function, Instruction, Region, Register
from gotcha_lint.program.links import Link, Links

_DEPTH = 8  # modules within modules
_NAMES = 4  # that stand for names
_WRAPPERS = frozenset(("partial", "remat", "checkpoint", "vmap"))
_PARAM = "param"
_ENTRIES = ("setup", "__call__")


@dataclass(frozen=True, slots=True)
class Layers:
    """`looped`: those of `written` that a loop makes, as it makes the blocks of a model."""

    written: int = 0
    looped: int = 0

    def __add__(self, other: Layers) -> Layers:
        return Layers(self.written + other.written, self.looped + other.looped)

    def times(self, turns: int) -> Layers:
        return Layers(self.written * turns, self.looped * turns)


def layers_of(links: Links, model: Function) -> Layers:
    """Of a class of modules, or of a function that Haiku transforms."""
    return _of(links, model, ())


def _of(links: Links, code: Function, around: tuple[Function, ...]) -> Layers:
    if code in around or len(around) > _DEPTH:
        return Layers()
    around = (*around, code)
    if not code.is_class:
        return _in_region(links, code, code.body, around)
    found = Layers()
    for entry in _ENTRIES:
        link = links.member(Link("instance", code), entry)
        if link is not None and link.kind == "function":
            found += _of(links, link.function, around)
    return found


def _in_region(
    links: Links, code: Function, region: Region, around: tuple[Function, ...]
) -> Layers:
    found = Layers()
    for step in region:
        if step[0] == "call":
            found += _made(links, code, step, around)
        inner = Layers()
        for part in step:
            if isinstance(part, list) and part:
                for each in part if isinstance(part[0], list) else [part]:
                    inner += _in_region(links, code, each, around)
        if step[0] == "for" and (turns := _turns(links, code, step[2])):
            inner = inner.times(turns)
        elif step[0] in ("for", "while"):
            inner = Layers(inner.written, inner.written)
        found += inner
    return found


def _turns(links: Links, code: Function, register: Register) -> int:
    """Of a loop over what is written out, or over a range with a number; 0: not known."""
    made = links.makers(code).get(register)
    if made is None:
        return 0
    if made[0] == "build":
        return len(made[3])
    is_range = made[0] == "call" and links.dotted(code, made[2]) == "builtins.range"
    end = links.makers(code).get(made[3][0][1]) if is_range and len(made[3]) == 1 else None
    is_number = end is not None and end[0] == "const" and type(end[2]) is int
    return max(end[2], 0) if end is not None and is_number else 0


def _made(links: Links, code: Function, call: Instruction, around: tuple[Function, ...]) -> Layers:
    """What a call makes, or what a helper does that it calls: of two, the larger one."""
    if links.word(code, call[2]) == _PARAM and _is_first(links, code, call):
        return Layers(1)
    found = (_class(links, *one, around) for one in _meant(links, code, call[2], _NAMES))
    return max(found, key=lambda layers: layers.written, default=Layers())


def _class(
    links: Links, code: Function, register: Register, around: tuple[Function, ...]
) -> Layers:
    own = weighted_layers(links.dotted(code, register))
    link = None if own else links.of_register(code, register)
    if link is None or link.kind not in ("class", "function"):
        return Layers(own)
    return _of(links, link.function, around)


def _is_first(links: Links, code: Function, call: Instruction) -> bool:
    """Weights that a class of the program makes itself are one layer, with their bias."""
    params = (i for i in links.makers(code).values() if i[0] == "call")
    return next((i for i in params if links.word(code, i[2]) == _PARAM), None) is call


def _meant(
    links: Links, code: Function, register: Register, left: int
) -> Iterator[tuple[Function, Register]]:
    """What a name may stand for, and what `partial`, `nn.remat` and `vmap` are given."""
    yield code, register
    made = links.makers(code).get(register)
    if made is None or not left:
        return
    if made[0] == "load" and made[3] <= 0:
        holder = code if made[3] == 0 else links.finder.modules[code.path].top
        for stored in links.stores(holder).get(made[2], []):
            yield from _meant(links, holder, stored, left - 1)
    elif made[0] == "call" and made[3] and links.word(code, made[2]) in _WRAPPERS:
        yield from _meant(links, code, made[3][0][1], left - 1)
