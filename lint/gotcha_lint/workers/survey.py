"""From what functions told each other to who runs, changes and keeps what in the project."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Trace
from gotcha_lint.analysis.tables import Key
from gotcha_lint.analysis.usage import Callers, Steps, Usage
from gotcha_lint.analysis.values import FunctionId, Site


def survey(table: Mapping[Key, Any], project: Project) -> Usage:
    """Follows the recorded calls: called in a loop, or by what is, makes a function hot."""
    calls = {fid: sorted(found) for fid, found in _told(table, "called").items()}
    hosted = frozenset(fid for fid, found in calls.items() if any(not via for *_, via in found))
    hot: dict[FunctionId, Steps] = {}
    callees: dict[FunctionId, list[tuple[FunctionId, Site]]] = {}
    for fid, found in sorted(calls.items()):
        name = project.function(fid).name
        looped = next((site for _, site, loop, _ in found if loop), None)
        if looped is not None:
            hot[fid] = ((looped, name),)
        for caller, site, _, _ in found:
            callees.setdefault(caller, []).append((fid, site))
    queue = deque(sorted(hot))
    while queue:
        caller = queue.popleft()
        for fid, site in callees.get(caller, ()):
            if fid not in hot:
                hot[fid] = (*hot[caller], (site, project.function(fid).name))
                queue.append(fid)
    return Usage(
        hosted=hosted,
        hot=hot,
        stored={(key[1], key[2]): value for key, value in table.items() if key[0] == "stored"},
        callers=callers_of(table),
        updated=frozenset((key[1], key[2]) for key in table if key[0] == "updated"),
        rerun=rerun(table, hot),
    )


def _told(table: Mapping[Key, Any], what: str) -> dict[Any, Any]:
    return {key[1]: value for key, value in table.items() if key[0] == what}


# Who calls a function, and which loops run the program that a traced one is part of


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
