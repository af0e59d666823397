"""Names of a file that are those of environment variables (floor `patterns`; must).

Nothing of the file reads the name, and nothing there sets the variable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.environment import READ_AT_IMPORT, READ_AT_START
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Module, Span
from gotcha_lint.program.origins import Origins


@dataclass(frozen=True, slots=True)
class UnsetVariable:
    """`value`: as it is written, where it is a constant."""

    name: str
    span: Span
    value: object


def unset_variables(origins: Origins, module: Module) -> Iterator[UnsetVariable]:
    bodies = origins.links.bodies(module)
    makers = origins.links.makers(module.top)
    names = [i for i in steps_of(module.top) if i[0] == "store" and _is_variable(i[2])]
    if not names:
        return
    read = {i[2] for body in bodies for i in steps_of(body) if i[0] == "load"}
    texts = {i[2] for body in bodies for i in steps_of(body) if i[0] == "const"}
    for store in names:
        made = makers.get(store[4], ("",))
        if made[0] == "const" and store[2] not in read | texts:
            yield UnsetVariable(store[2], store[-1], made[2])


def _is_variable(name: str) -> bool:
    return name in READ_AT_IMPORT or name.startswith(READ_AT_START)
