"""Results that a loop fetches often and uses seldom: under a test alone (floor `patterns`).

Must: each use of the name stands in the loop, under a test that the fetch does not stand under. It
under-approximates: names that other functions, or lines after the loop, read do not count.
"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.program.data_flow import steps_of, used_registers
from gotcha_lint.program.ir import Function, Instruction, Region, Span

_Around = tuple[Instruction, ...]  # loops and branches, the outermost first


def rarer_use(function: Function, call: Span) -> Span | None:
    """The first test under which the result of a call is used; None where not all uses are."""
    made = next((i for i in steps_of(function) if i[0] == "call" and i[-1] == call), None)
    if made is None:
        return None
    uses = [i for i in steps_of(function) if made[1] in used_registers(i)]
    stores = [i for i in steps_of(function) if i[0] == "store" and i[4] == made[1]]
    if len(stores) != 1 or any(i is not stores[0] for i in uses):
        return None
    name = stores[0][2]
    if stores[0][3] != 0 or name in function.captured | function.globals | function.nonlocals:
        return None
    places = list(_walk(function.body, ()))
    here = next(around for i, around in places if i is made)
    loop = next((i for i in reversed(here) if i[0] in ("for", "while")), None)
    reads = [around for i, around in places if i[0] == "load" and i[2] == name]
    tests = [_test_of_its_own(around, here) for around in reads if loop in around]
    if loop is None or len(tests) != len(reads):
        return None
    spans = [test[-1] for test in tests if test is not None]
    return min(spans) if spans and len(spans) == len(tests) else None


def _test_of_its_own(around: _Around, here: _Around) -> Instruction | None:
    return next((i for i in around if i[0] == "if" and all(i is not h for h in here)), None)


def _walk(code: Region, around: _Around) -> Iterator[tuple[Instruction, _Around]]:
    for instruction in code:
        yield instruction, around
        inner = (*around, instruction)
        for operand in instruction:
            if isinstance(operand, list):
                for part in operand:
                    yield from _walk(part if isinstance(part, list) else [part], inner)
