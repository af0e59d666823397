"""What is known of a project when all of it is analysed: who runs, changes and keeps what."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

from gotcha_lint.analysis import hosting
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.rerun import Callers, Steps, callers_of, rerun
from gotcha_lint.analysis.resets import Global, Reset
from gotcha_lint.analysis.settings import Setting
from gotcha_lint.analysis.tables import Key
from gotcha_lint.analysis.values import ClassId, FunctionId, Kind, Site, Value


class Usage(NamedTuple):
    """Who runs a function: code that is not traced, and loops; and what classes hold."""

    hosted: frozenset[FunctionId]
    hot: Mapping[FunctionId, tuple[tuple[Site, str], ...]]
    stored: Mapping[tuple[ClassId, str], frozenset[str]]  # the functions that assign an attribute
    fields: Mapping[ClassId, Mapping[str, Value]]  # what the attributes hold
    callers: Callers
    sets: Mapping[FunctionId, frozenset[Setting]]  # functions that only put settings right
    read: Mapping[FunctionId, frozenset[str]]  # the attributes of a static `self`
    makers: frozenset[FunctionId]  # that give another function at each call
    updated: frozenset[tuple[FunctionId, str]]  # parameters: states that get one update
    driven: frozenset[FunctionId]  # called by loops of code that acts on the world
    rerun: Mapping[FunctionId, Steps]  # the loops around what a function is traced into
    resets: Mapping[Global, frozenset[Reset]]  # the global settings that loops change
    carried: Mapping[FunctionId, frozenset[str]]  # parameters: what the call before gave, in a loop
    reads: Mapping[FunctionId, frozenset[str]]  # parameters that are read on the host


def usage(table: Mapping[Key, Any], project: Project) -> Usage:
    """Follows the recorded calls: called in a loop, or by what is, makes a function hot."""
    calls = {key[1]: sorted(value) for key, value in table.items() if key[0] == "called"}
    hosted = frozenset(fid for fid, found in calls.items() if any(not via for *_, via in found))
    hot: dict[FunctionId, tuple[tuple[Site, str], ...]] = {}
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
    stored = {(key[1], key[2]): value for key, value in table.items() if key[0] == "stored"}
    read = {key[1]: value for key, value in table.items() if key[0] == "static read"}
    makers = frozenset(key[1] for key in table if key[0] == "anew")
    sets = {key[1]: value for key, value in table.items() if key[0] == "sets"}
    updated = frozenset((key[1], key[2]) for key in table if key[0] == "updated")
    driven = hosting.driven({key[1] for key in table if key[0] == "acts"}, calls, callees)
    return Usage(
        hosted, hot, stored, _fields(table), callers_of(table), sets, read, makers, updated, driven,
        rerun(table, hot), {key[1]: value for key, value in table.items() if key[0] == "reset"},
        {key[1]: value for key, value in table.items() if key[0] == "carried"},
        reads={key[1]: value for key, value in table.items() if key[0] == "reads"},
    )  # fmt: skip


def _fields(table: Mapping[Key, Any]) -> dict[ClassId, dict[str, Value]]:
    found: dict[ClassId, dict[str, Value]] = {}
    for key, value in table.items():
        if key[0] == "attr" and value.kind not in (Kind.UNKNOWN, Kind.STATIC, Kind.NONE):
            found.setdefault(key[1], {})[key[2]] = value
    return found
