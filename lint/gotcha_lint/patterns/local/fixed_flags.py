"""Flags of the command line that have one value, whatever is given (floor `patterns`; must).

`action="store_true"` of a flag that is True without it, too; `type=bool`, for which each text but
the empty one is True. Nothing is said where the file gives the option another value.
"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.patterns.parsed_options import destination
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.links import Links

_STORED = {"store_true": True, "store_false": False}
_METHOD = "add_argument"
_Added = tuple[Function, Instruction, str]


def fixed_flags(links: Links, module: Module) -> Iterator[tuple[Function, Span, str, str]]:
    """The function, the place, the name, and its one value, or `type=bool`."""
    added: list[_Added] = []
    others: set[str] = set()
    for function in links.bodies(module):
        makers = links.makers(function)
        for i in steps_of(function):
            if i[0] == "setattr":
                others.add(i[3])
            method = makers.get(i[2]) if i[0] == "call" else None
            if method is None or method[0] != "attr":
                continue
            if method[3] == "set_defaults":
                others |= {name or "" for name, _ in i[4]}
            elif method[3] == _METHOD:
                added.append((function, i, destination(makers, i)))
    names = [name for _, _, name in added]
    for function, i, name in added:
        value, said = _value(links.makers(function), i) if name else ("", None)
        if said is not None and name not in others and names.count(name) == 1:
            yield function, said[-1], name, value


def _value(
    makers: dict[Register, Instruction], call: Instruction
) -> tuple[str, Instruction | None]:
    """`True`, `False` or `type=bool`, and what says so; None for what may be either."""
    given = {name: makers.get(register) for name, register in call[4]}
    kind, action, default = (given.get(word) for word in ("type", "action", "default"))
    if kind is not None and kind[:3:2] == ("load", "bool"):
        return "type=bool", kind
    if action is None or default is None or (action[0], default[0]) != ("const", "const"):
        return "", None
    stored = _STORED.get(action[2])
    return str(stored), default if default[2] is stored else None
