"""Losses that train a model with its dropout off, in a program that never turns it on.

By the text of a file and of what it imports (floor `patterns`). Under-approximates: any call that
gives the flag another value, or gives a flag by position, counts as one that turns it on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gotcha_lint.facts.flags import MODES
from gotcha_lint.facts.paths import is_test
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.links import Links

_GRADIENTS = frozenset(("grad", "value_and_grad", "filter_grad", "filter_value_and_grad"))
_UPDATES = frozenset(("apply_gradients", "apply_updates"))
_INITIAL = frozenset(("init", "init_with_output", "lazy_init", "tabulate", "init_by_output"))
_SWITCHES = frozenset(("train", "eval", "inference_mode", "set_mode"))


@dataclass(frozen=True, slots=True)
class DropoutOff:
    """`flag`: as it is given; `dropout`: where the program drops."""

    span: Span
    flag: str
    dropout: tuple[str, Span]


def dropout_off(
    function: Function, links: Links, visible: Iterable[Module]
) -> Iterator[DropoutOff]:
    """The calls of one loss; `visible`: the modules of its program."""
    sites = [*_off(links, function)]
    if not sites or not _is_differentiated(links, function):
        return
    bodies = [
        body for module in visible if not is_test(module.path) for body in links.bodies(module)
    ]
    dropout = next((found for body in bodies for found in _drops(links, body)), None)
    if dropout is None or not any(_UPDATES & names_used(body) for body in bodies):
        return
    on = set[str]().union(*(_turned_on(links, body) for body in bodies))
    for call, flag in sites:
        if flag not in on and "*" not in on:
            yield DropoutOff(call[-1], f"{flag}={not MODES[flag]}", dropout)


def _off(links: Links, function: Function) -> Iterator[tuple[Instruction, str]]:
    """The calls that say that the model does not train, and the flags."""
    makers = links.makers(function)
    for i in steps_of(function):
        for name, register in i[4] if i[0] == "call" else ():
            made = makers.get(register)
            is_flag = name in MODES and made is not None and made[0] == "const"
            if is_flag and made is not None and made[2] is (not MODES[name]):
                yield i, name


def _is_differentiated(links: Links, function: Function) -> bool:
    """Does the function around it take its gradient, by name or as a decorator?"""
    owner = function.parent
    if owner is None or owner.is_class or _GRADIENTS.isdisjoint(names_used(owner)):
        return False
    for i in steps_of(owner):
        if i[0] == "call" and i[3] and links.word(owner, i[2]) in _GRADIENTS and not i[3][0][0]:
            link = links.of_register(owner, i[3][0][1])
            if link is not None and link.kind == "function" and link.function is function:
                return True
    return False


def _drops(links: Links, body: Function) -> Iterator[tuple[str, Span]]:
    """Layers and functions of a dropout, but for a rate of zero that is written out.

    A mask that a function draws itself counts where it takes a flag.
    """
    makers = links.makers(body)
    takes_flag = any(p.name in MODES for p in body.parameters)
    for i in steps_of(body):
        word = links.word(body, i[2]).lower() if i[0] == "call" else ""
        if "dropout" not in word and not (takes_flag and word == "bernoulli"):
            continue
        given = [register for _, register in (*i[3], *i[4])]
        rates = [makers[r][2] for r in given if r in makers and makers[r][0] == "const"]
        if not any(type(rate) in (int, float) and rate == 0 for rate in rates):
            yield body.path, i[-1]


def _turned_on(links: Links, body: Function) -> set[str]:
    """The flags that something sets, or may set, to the value of training; "*" for any."""
    found: set[str] = set()
    makers = links.makers(body)
    for i in steps_of(body):
        if i[0] == "closure":
            found.update(n for n, r in i[3] if n in MODES and not _is_off(makers, n, r))
        elif i[0] == "field" and i[2] in MODES:
            found.add(i[2])
        elif i[0] == "call":
            word = links.word(body, i[2])
            if word in _SWITCHES and not i[3]:
                found.add("*")
            if word in _INITIAL:
                continue
            found.update(
                name for name, register in i[4]
                if name in MODES and not _is_off(makers, name, register)
            )  # fmt: skip
            if word.startswith("apply") and _gives_truth(makers, i):
                found.add("*")
    return found


def _is_off(makers: dict[Register, Instruction], name: str, register: Register) -> bool:
    """Is it off, or handed on from a parameter that is a flag, too?"""
    made = makers.get(register)
    if made is not None and made[0] == "unop" and made[2] == "Not":
        made = makers.get(made[3])
    elif made is not None and made[0] == "const":
        return made[2] is (not MODES[name])
    return made is not None and made[0] == "load" and made[2] in MODES and made[3] >= 0


def _gives_truth(makers: dict[Register, Instruction], call: Instruction) -> bool:
    """`model.apply(variables, x, True)`, or a name in this place."""
    for star, register in call[3][2:]:
        made = makers.get(register)
        if star or made is None or (made[0] == "const" and isinstance(made[2], bool)):
            return True
        if made[0] == "load" and made[2] in MODES:
            return True
    return False
