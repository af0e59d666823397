"""Who calls a function, and which loops run the program that a traced one is part of."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from gotcha_lint.analysis.sites import Trace
from gotcha_lint.analysis.tables import Key
from gotcha_lint.analysis.usage import Callers, Steps
from gotcha_lint.analysis.values import FunctionId


def callers_of(table: Mapping[Key, Any]) -> Callers:
    """The functions that call each one, traced or not."""
    found: dict[FunctionId, frozenset[FunctionId]] = {}
    for key, value in table.items():
        if key[0] == "within":
            found[key[1]] = found.get(key[1], frozenset()) | value
        elif key[0] == "called":
            callers = frozenset(caller for caller, *_ in value)
            found[key[1]] = found.get(key[1], frozenset()) | callers
    return found


def rerun(table: Mapping[Key, Any], hot: Mapping[FunctionId, Steps]) -> dict[FunctionId, Steps]:
    """The loops around the call of what was compiled: of it, and of all that it was traced into."""
    inner: dict[FunctionId, list[FunctionId]] = {}
    for key, callers in table.items():
        if key[0] == "within":
            for caller in callers:
                inner.setdefault(caller, []).append(key[1])
    found = {fid: steps for fid, steps in hot.items() if _is_traced(table.get(("traced", fid)))}
    queue = deque(sorted(found))
    while queue:
        caller = queue.popleft()
        for fid in sorted(inner.get(caller, ())):
            if fid not in found:
                found[fid] = found[caller]
                queue.append(fid)
    return found


def _is_traced(trace: Trace | None) -> bool:
    return trace is not None and not trace.soft
