"""Where a function asks Python about a flag that it is given, or hands it on as one (may).

A layer of a library branches on its `train`; a function of the program is looked into, where it is
of the same file. A flag that only chooses in `jax.lax.cond` or `jnp.where` may be an array.
"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.flags import FLAGS
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.links import Link, Links

_CHOICES = frozenset(("cond", "where", "select"))
_COMPILES = frozenset(("jit", "pmap", "filter_jit"))
_OPERANDS = {"unop": (3,), "binop": (3, 4), "compare": (3, 4)}


def flag_use(links: Links, function: Function, name: str) -> Span | None:
    """The argument of a call that is the flag; None where the function itself branches on it."""
    if _branches(links, function, name):
        return None
    found = list(_handed_on(links, function, name))
    return next((span for by_name in (True, False) for way, span in found if way is by_name), None)


def _handed_on(links: Links, function: Function, name: str) -> Iterator[tuple[bool, Span]]:
    """Arguments by name and by position that are the flag, here and in the functions within."""
    for inner in _within(function, name):
        makers = links.makers(inner)
        for call in steps_of(inner):
            if call[0] != "call":
                continue
            link = links.of_register(inner, call[2])
            for word, register in call[4]:
                mentioned = word in FLAGS and _mentions(links, inner, register, name)
                if mentioned and not _chooses(links, link, word):
                    yield True, makers[register][-1]
            for position, (star, register) in enumerate(call[3]):
                mentioned = not star and _mentions(links, inner, register, name)
                if mentioned and _is_flag(links, function, link, position):
                    yield False, makers[register][-1]


def _within(function: Function, name: str) -> Iterator[Function]:
    """The function, and those in it that have no such parameter of their own."""
    yield function
    for i in steps_of(function):
        if i[0] == "closure" and all(one.name != name for one in i[2].parameters):
            yield from _within(i[2], name)


def _mentions(links: Links, function: Function, register: Register, name: str) -> bool:
    """The flag itself, or `not flag`."""
    made = links.makers(function).get(register)
    if made is None:
        return False
    if made[0] == "load":
        return made[2] == name
    return any(_mentions(links, function, made[n], name) for n in _OPERANDS.get(made[0], ()))


def _branches(links: Links, function: Function, name: str) -> bool:
    return any(i[0] == "if" and _mentions(links, function, i[2], name) for i in steps_of(function))


def _is_flag(links: Links, caller: Function, link: Link | None, position: int) -> bool:
    """It fills a flag, of a function that branches on it, as far as that can be seen."""
    if link is None or link.kind != "function" or _is_compiled(links, link.function):
        return False
    parameters = [one for one in link.function.parameters if one.kind == "pos"][link.bound :]
    if position >= len(parameters) or parameters[position].name not in FLAGS:
        return False
    other = link.function.path != caller.path
    return other or _branches(links, link.function, parameters[position].name)


def _chooses(links: Links, link: Link | None, name: str) -> bool:
    """The function is compiled itself, or does nothing with its flag but `cond(flag, ...)`."""
    if link is None or link.kind != "function":
        return False
    function = link.function
    if _is_compiled(links, function):
        return True
    loads = sum(i[0] == "load" and i[2] == name for i in steps_of(function))
    return 0 < loads == sum(_is_choice(links, function, i, name) for i in steps_of(function))


def _is_choice(links: Links, function: Function, i: Instruction, name: str) -> bool:
    if i[0] != "call" or not i[3] or links.word(function, i[2]) not in _CHOICES:
        return False
    made = links.makers(function).get(i[3][0][1])
    return made is not None and made[:3:2] == ("load", name)


def _is_compiled(links: Links, function: Function) -> bool:
    owner = function.parent or links.finder.modules[function.path].top
    held = {i[1] for i in steps_of(owner) if i[0] == "closure" and i[2] is function}
    return any(
        i[0] == "call" and links.word(owner, i[2]) in _COMPILES and held & {r for _, r in i[3]}
        for i in steps_of(owner)
    )
