"""Names of a module that compiled code reads, and that a function of the module assigns again."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from gotcha_lint.domain.sites import Origin
from gotcha_lint.facts.setting_up import is_set_up
from gotcha_lint.interpret.events import CallString, CompiledCall
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function
from gotcha_lint.solve.compiled_functions import CompiledFunction

_ANEW = frozenset(("pmap", "clear_caches", "clear_cache"))


@dataclass(frozen=True)
class AssignedGlobal:
    name: str
    reader: Function
    read: Origin
    assigned: Origin


def assigned_globals(row: CompiledFunction) -> Iterator[AssignedGlobal]:
    """May-analysis: the function that assigns need not be called by any code that was read.

    An assignment that runs before each call that was seen is left out (see `_is_before`).
    """
    for (path, name), calls in row.globals.items():
        call = calls[0]
        for reader in sorted(call.traced, key=lambda f: (f.path, f.line)):
            if reader.path != path or name in reader.globals:
                continue
            read = _read(reader, name)
            every = list(_below(_top(reader))) if read is not None else []
            if read is None or _is_called_plainly(reader, every, call.traced):
                continue
            found = _assignments(reader, name, every, call.traced)
            assigned = next((each for each in found if not _is_before(each, calls)), None)
            if assigned is not None:
                yield AssignedGlobal(name, reader, read, assigned[1])


def _read(function: Function, name: str) -> Origin | None:
    loads = (i for i in steps_of(function) if i[0] == "load" and i[2:4] == (name, -1))
    first = next(loads, None)
    return None if first is None else (function.path, first[-1])


def _top(function: Function) -> Function:
    while function.parent is not None:
        function = function.parent
    return function


def _below(function: Function) -> Iterator[Function]:
    for i in steps_of(function):
        if i[0] in ("closure", "class"):
            yield i[2]
            yield from _below(i[2])


def _is_called_plainly(
    reader: Function, every: list[Function], traced: Collection[Function]
) -> bool:
    """Does a function that is not traced call it by its name? Then it sees the new value there."""
    for function in every:
        if function not in traced:
            loads = {i[1] for i in steps_of(function) if i[0] == "load" and i[2] == reader.name}
            if any(i[0] == "call" and i[2] in loads for i in steps_of(function)):
                return reader.first in (0, reader.line)  # else it is compiled by its decorator
    return False


def _assignments(
    reader: Function, name: str, every: list[Function], traced: Collection[Function]
) -> Iterator[tuple[Function, Origin]]:
    for function in every:
        if name not in function.globals or function in traced or function.is_generator:
            continue
        if is_set_up(function.name) or _compiles_anew(function):
            continue
        if _is_called_at_import(function, every) and _asks_for_types(reader, name):
            continue
        for i in steps_of(function):
            if i[0] == "store" and i[2] == name:
                yield function, (function.path, i[-1])


def _is_before(assigned: tuple[Function, Origin], calls: list[CompiledCall]) -> bool:
    """Does each call come from the function that assigns, below the assignment?

    `main` sets a global from the command line, and then trains. A call that was also seen from the
    middle of that chain is the same call. What is assigned again after a call (in a loop, say) is
    found as a write after the trace, not here.
    """
    function, (path, span) = assigned
    chains = [(*call.calls, (call.path, call.span)) for call in calls]

    def leads_through(chain: CallString) -> bool:
        return any(at == path and span[0] < place[0] <= function.end_line for at, place in chain)

    through = [chain for chain in chains if leads_through(chain)]
    return bool(through) and all(
        any(one[len(one) - len(chain) :] == chain for one in through) for chain in chains
    )


def _compiles_anew(function: Function) -> bool:
    """It jits, or clears what was compiled: it takes care of what it changes."""
    return any("jit" in name or name in _ANEW for name in names_used(function))


def _is_called_at_import(function: Function, every: list[Function]) -> bool:
    """No function calls it, but the module does, where it defines its classes."""

    def calls(other: Function) -> bool:
        loads = {i[1] for i in steps_of(other) if i[0] == "load" and i[2] == function.name}
        return any(i[0] == "call" and i[2] in loads for i in steps_of(other))

    return calls(_top(function)) and not any(map(calls, every))


def _asks_for_types(reader: Function, name: str) -> bool:
    """`type(x) in KINDS` is all that is asked: each type of an argument is traced by itself."""
    made = {i[1]: i for i in steps_of(reader)}
    loads = {i[1] for i in steps_of(reader) if i[0] == "load" and i[2] == name}
    asked = 0
    for i in steps_of(reader):
        if i[0] == "compare" and i[2] in ("In", "NotIn") and i[4] in loads:
            left = made.get(i[3])
            callee = made.get(left[2]) if left is not None and left[0] == "call" else None
            asked += callee is not None and callee[0] == "load" and callee[2] == "type"
    return 0 < asked == len(loads)
