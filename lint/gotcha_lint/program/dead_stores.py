"""Values that a function writes to a name and never reads (floor `program`).

Liveness, backward over the regions of a body. It over-approximates what is read: in a loop every
name that the loop reads is live, in a `try` every name that its handlers read. So a store that is
found is dead on every path.
"""

from __future__ import annotations

from gotcha_lint.program.data_flow import instructions, steps_of
from gotcha_lint.program.ir import Function, Instruction, Region, Span

_READS_ALL = frozenset(("locals", "vars", "eval", "exec", "breakpoint"))


def dead_stores(function: Function) -> dict[Span, str]:
    """The places of the stores, and the names; empty where names are read in other ways."""
    if function.is_module or function.is_class:
        return {}
    if any(i[0] == "load" and i[2] in _READS_ALL for i in steps_of(function)):
        return {}
    shared = function.captured | function.globals | function.nonlocals
    flow = _Liveness(shared)
    flow.walk(function.body, frozenset())
    return flow.found


def overwritten_parameters(function: Function) -> dict[str, Span]:
    """Parameters that each path stores to before it reads them: their names, and the first store.

    Empty where names are read in other ways.
    """
    if function.is_module or function.is_class:
        return {}
    if any(i[0] == "load" and i[2] in _READS_ALL for i in steps_of(function)):
        return {}
    shared = function.captured | function.globals | function.nonlocals
    live = _Liveness(shared).walk(function.body, frozenset()) | shared
    names = {p.name for p in function.parameters} - live
    found: dict[str, Span] = {}
    for i in steps_of(function):
        if i[0] == "store" and i[3] == 0 and i[2] in names:
            found.setdefault(i[2], i[-1])
    return found


class _Liveness:
    def __init__(self, shared: set[str]) -> None:
        self.always = frozenset(shared)  # read at any time, by other functions or the next turn
        self.found: dict[Span, str] = {}

    def walk(self, code: Region, live: frozenset[str]) -> frozenset[str]:
        """What is live before the code, where `live` is so after it."""
        for instruction in reversed(code):
            live = self._before(instruction, live)
        return live

    def _before(self, i: Instruction, live: frozenset[str]) -> frozenset[str]:
        operation = i[0]
        if operation == "store" and i[3] == 0:
            name = i[2]
            if name not in live and name not in self.always and "%" not in name:
                self.found[i[-1]] = name
            return live - {name}
        if operation == "load":
            return live | {i[2]}
        if operation == "delete" and i[2] == "name":
            return live | {i[3][0]}
        if operation in ("return", "raise"):
            return frozenset()
        if operation == "if":
            return self.walk(i[3], live) | self.walk(i[4], live)
        if operation in ("for", "while"):
            regions = [part for part in i if isinstance(part, list)]
            self._within(regions, _loads(regions), live)
            return live | _loads(regions)
        if operation == "try":
            _, _, body, handlers, otherwise, final, _ = i
            read = _loads([*handlers, otherwise, final])
            self._within([body, *handlers, otherwise, final], read, live)
            return live | read | _loads([body])
        return live

    def _within(self, regions: list[Region], read: frozenset[str], live: frozenset[str]) -> None:
        """The regions are run in any order, any number of times."""
        before = self.always
        self.always = before | read | live
        for region in regions:
            self.walk(region, live)
        self.always = before


def _loads(regions: list[Region]) -> frozenset[str]:
    """The names that are read, or deleted."""
    return frozenset(
        i[2] if i[0] == "load" else i[3][0]
        for region in regions
        for i in instructions(region)
        if i[0] == "load" or (i[0] == "delete" and i[2] == "name")
    )
