"""Options of JAX for the search of errors that a program switches on for good (floor `patterns`).

Must: the value is written out, no condition stands around it, and nothing in the file gives the
option another value.
"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.options import UPDATES
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.enclosing import Around, enclosing
from gotcha_lint.program.full_names import FullNames
from gotcha_lint.program.ir import Function, Instruction, Module, Span
from gotcha_lint.program.links import Links

_MAIN = "__name__"


def options_left_on(
    links: Links, module: Module, options: frozenset[str]
) -> Iterator[tuple[Function, Span, str]]:
    names = FullNames(links)
    found: list[tuple[Function, Instruction, str, bool]] = []
    for function in links.bodies(module):
        makers = links.makers(function)
        for i in steps_of(function):
            if i[0] != "call" or len(i[3]) != 2 or names.of_call(function, i) not in UPDATES:
                continue
            name, value = (makers.get(register) for _, register in i[3])
            if name is not None and name[0] == "const" and name[2] in options:
                on = value is not None and value[:3:2] == ("const", True)
                found.append((function, i, name[2], on and _is_free(links, function, i)))
    for function, i, option, on in found:
        if on and sum(other == option for _, _, other, _ in found) == 1:
            yield function, i[-1], option


def _is_free(links: Links, function: Function, i: Instruction) -> bool:
    """Does nothing but `if __name__ == "__main__":` stand around it?"""
    return all(_asks_for_main(links, function, block) for block in enclosing(function)[id(i)])


def _asks_for_main(links: Links, function: Function, block: Around) -> bool:
    makers = links.makers(function)
    test = makers.get(block.block[2]) if block.block[0] == "if" else None
    left = makers.get(test[3]) if test is not None and test[0] == "compare" else None
    return left is not None and left[0] == "load" and left[2] == _MAIN
