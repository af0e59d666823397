"""Functions that look at how long an argument is, and fill it up where it is short (`program`).

As `pad_batch(batch, size)` does: what it gives has one length, also for the last batch.
"""

from __future__ import annotations

from functools import cache

from gotcha_lint.program.data_flow import instructions, operands_below, steps_of
from gotcha_lint.program.ir import Function, Instruction, Region, Register


@cache
def filled_up(function: Function) -> frozenset[str]:
    """The parameters of which this is so. May: that the length is the right one, nothing says."""
    names = {parameter.name for parameter in function.parameters}
    tests = [i for i in steps_of(function) if i[0] == "if"]
    if not tests or not names:
        return frozenset()
    lengths = _Lengths(function, names)
    found: set[str] = set()
    for _, _, test, then, otherwise, *_ in tests:
        for name in lengths.of(test) - found:
            if any(_makes_another(function, region, name) for region in (then, otherwise)):
                found.add(name)
    return frozenset(found)


class _Lengths:
    """Of which parameters a number says the length, or follows from it."""

    def __init__(self, function: Function, names: set[str]) -> None:
        self.function, self.names = function, names
        self.known: dict[str, set[str]] = {}  # by the name of a variable
        stores = [i for i in steps_of(function) if i[0] == "store" and i[2] not in names]
        for i in stores:  # in the order of the text
            self.known.setdefault(i[2], set()).update(self.of(i[4]))

    def of(self, register: Register) -> set[str]:
        below = list(operands_below(self.function, register))
        loads = {i[1]: i[2] for i in below if i[0] == "load"}
        found = set[str]().union(*(self.known.get(name, ()) for name in loads.values()))
        for i in below:
            measured: Register | None = None
            if i[0] == "attr" and i[3] == "shape":
                measured = i[2]
            elif i[0] == "call" and loads.get(i[2]) == "len" and len(i[3]) == 1:
                measured = i[3][0][1]
            found |= {loads[measured]} & self.names if measured in loads else set()
        return found


def _makes_another(function: Function, region: Region, name: str) -> bool:
    """It calls something for what it binds the name to, or returns; or it returns what is long
    enough as it is, and the result of a call elsewhere.
    """
    makers: dict[Register, Instruction] = {i[1]: i for i in steps_of(function)}

    def calls(register: Register | None) -> bool:
        return register is not None and makers.get(register, ("",))[0] == "call"

    for i in instructions(region):
        if i[0] == "store" and i[2] == name and calls(i[4]):
            return True
        if i[0] == "return" and i[2] is not None:
            made = makers.get(i[2])
            as_it_is = made is not None and made[0] == "load" and made[2] == name
            returned = (other[2] for other in steps_of(function) if other[0] == "return")
            if calls(i[2]) or (as_it_is and any(map(calls, returned))):
                return True
    return False
