"""Parameters that are called, and whose default is a function of the program (floor `patterns`).

It under-approximates: the function calls the parameter as it was given, whatever a condition says
of others, and binds its name to nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Span
from gotcha_lint.program.links import Link, Links


@dataclass(frozen=True)
class CalledDefault:
    """`owner`: of the parameter; `span`: of its default, which is `link`."""

    parameter: str
    owner: Function
    span: Span
    link: Link


def called_default(links: Links, function: Function, call: Instruction) -> CalledDefault | None:
    """What a call calls where the caller gives nothing."""
    made = links.makers(function).get(call[2])
    if made is None or made[0] != "load" or made[3] < 0:
        return None
    owner: Function | None = function
    for _ in range(made[3]):
        owner = owner.parent if owner is not None else None
    name = made[2]
    if owner is None or owner.parent is None or name in links.stores(owner):
        return None
    if _is_tested(owner, name) or (owner is not function and _is_tested(function, name)):
        return None
    around = owner.parent
    for i in steps_of(around):
        if i[0] == "closure" and i[2] is owner:
            given = next((register for word, register in i[3] if word == name), None)
            link = None if given is None else links.of_register(around, given)
            if given is not None and link is not None and link.kind in ("function", "class"):
                return CalledDefault(name, owner, links.makers(around)[given][-1], link)
    return None


def _is_tested(function: Function, name: str) -> bool:
    """Is it compared with anything, or given to `isinstance`, `callable` or `signature`?"""
    read = {i[1] for i in steps_of(function) if i[0] == "load" and i[2] == name}
    asks = {
        i[1] for i in steps_of(function)
        if i[0] == "load" and i[2] in ("isinstance", "callable", "issubclass", "hasattr")
    }  # fmt: skip
    return any(
        (i[0] == "compare" and not read.isdisjoint(i[3:5]))
        or (i[0] == "call" and (i[2] in asks and any(at in read for _, at in i[3])))
        for i in steps_of(function)
    )
