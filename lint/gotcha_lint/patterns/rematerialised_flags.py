"""Flags that a rematerialised layer is given, and branches on (floor `patterns`).

`nn.remat(Block)` traces all arguments, Python's `True` as well; a default that is left alone is not
traced. Must, for layers that are made and called in the function that wraps them; what is stored on
an object or called elsewhere gives nothing. A branch on a setting, as in `if self.rate > 0`, counts
as taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gotcha_lint.facts.flags import FLAGS
from gotcha_lint.facts.remat import LIFTED, LIFTED_STATIC
from gotcha_lint.program.data_flow import steps_of, uncaught
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.links import Link, Links

_WORDS = frozenset(name.rpartition(".")[2] for name in LIFTED)
_BRANCHING = frozenset(("flax.linen.Dropout", "flax.linen.BatchNorm"))
_DEEP = 5  # layers within layers that a flag is followed through
_UNSURE = ("None", "Optional", "Array", "Any")  # in the annotation of what is handed on


class RematFlag(NamedTuple):
    """A flag that is traced: where `remat` is called, its name, and where Python branches on it."""

    span: Span
    name: str
    path: str
    use: Span


def rematerialised_flags(links: Links, function: Function) -> Iterator[RematFlag]:
    """Those of one function."""
    for call in uncaught(function.body):
        if call[0] != "call" or links.word(function, call[2]) not in _WORDS:
            continue
        method = _wrapped(links, function, call)
        if method is None:
            continue
        for name in _flags_given(links, function, call[1], method):
            use = _use(links, method, name, 0)
            if use is not None:
                yield RematFlag(call[-1], name, *use)
                break


def _wrapped(links: Links, function: Function, call: Instruction) -> Function | None:
    """The `__call__` of the class that `nn.remat` is given, where no argument is static."""
    if links.dotted(function, call[2]) not in LIFTED or len(call[3]) > LIFTED_STATIC:
        return None
    options = dict(call[4])
    if any(star for star, _ in call[3]) or {None, "static_argnums", "methods"} & options.keys():
        return None
    target = call[3][0][1] if call[3] else options.get("target")
    link = links.of_register(function, target) if target is not None else None
    return _called(links, link) if link is not None and link.kind == "class" else None


def _called(links: Links, link: Link) -> Function | None:
    method = links.member(Link("instance", link.function), "__call__")
    return method.function if method is not None and method.kind == "function" else None


def _flags_given(
    links: Links, function: Function, made: Register, method: Function
) -> Iterator[str]:
    """The flags of the method that layers made from `made` are given."""
    classes = _copies(function, {made})
    layers = _copies(
        function, {i[1] for i in steps_of(function) if i[0] == "call" and i[2] in classes}
    )
    for i in steps_of(function):
        if i[0] == "call" and i[2] in layers:
            for name, register in _arguments(i, method):
                if name in FLAGS and _is_bool(links, function, register):
                    yield name


def _copies(function: Function, held: set[Register]) -> set[Register]:
    """Registers that may hold the same, by way of local names."""
    names: set[str] = set()
    while True:
        names |= {i[2] for i in steps_of(function) if i[0] == "store" and i[4] in held}
        more = {i[1] for i in steps_of(function) if i[0] == "load" and i[2] in names}
        if more <= held:
            return held
        held = held | more


def _arguments(call: Instruction, method: Function) -> Iterator[tuple[str, Register]]:
    """What a call of the layer gives, by the names of the method's parameters."""
    if any(star for star, _ in call[3]):
        return
    places = [one.name for one in method.parameters if one.kind == "pos"][1:]
    yield from zip(places, (register for _, register in call[3]), strict=False)
    yield from ((name, register) for name, register in call[4] if name is not None)


def _is_bool(links: Links, function: Function, register: Register) -> bool:
    """`True`, `not x`, or a parameter that is a flag itself and is never None."""
    made = links.makers(function).get(register)
    if made is None:
        return False
    if made[0] == "const":
        return isinstance(made[2], bool)
    if made[0] == "unop":
        return made[2] == "Not"
    if made[0] != "load" or made[3] != 0:
        return False
    own = next((one for one in function.parameters if one.name == made[2]), None)
    if own is None or own.name not in FLAGS:
        return False
    return not any(word in own.annotation for word in _UNSURE)


def _use(links: Links, method: Function, name: str, depth: int) -> tuple[str, Span] | None:
    """Where Python needs to know whether the flag holds: here, or in a layer that is given it."""
    if depth > _DEEP or name in links.stores(method):
        return None
    makers = links.makers(method)
    flags = {i[1] for i in steps_of(method) if i[0] == "load" and i[2:4] == (name, 0)}
    for i in steps_of(method):
        tested = i[3] if i[0] == "unop" and i[2] == "Not" else i[2] if i[0] == "if" else None
        if tested is not None and tested in flags:
            return method.path, makers[tested][-1]
    for i in steps_of(method):
        given = [(word, r) for word, r in i[4] if r in flags] if i[0] == "call" else []
        made = makers.get(i[2]) if i[0] == "call" else None
        if made is None or made[0] != "call" or not (given or {r for _, r in i[3]} & flags):
            continue
        if links.dotted(method, made[2]) in _BRANCHING:
            return method.path, i[-1]
        link = links.of_register(method, made[2])
        inner = _called(links, link) if link is not None and link.kind == "class" else None
        for word, register in _arguments(i, inner) if inner is not None else ():
            found = _use(links, inner, word, depth + 1) if inner and register in flags else None
            if found is not None:
                return found
    return None
