"""From files to analysed functions: rounds of `Flow` until what functions tell each other settles.

All files of a round see the table of the round before, so that the outcome does not depend on the
order of files or on how they are shared among workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any

from gotcha_lint.analysis.flow import Flow
from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.summary import Summary
from gotcha_lint.analysis.tables import Effects, Key, View, merge
from gotcha_lint.analysis.usage import Usage
from gotcha_lint.analysis.values import UNKNOWN, FunctionId
from gotcha_lint.last_line import last_line

MAX_RUNS = 12  # of one function after the first: recursion could go on for ever
Result = tuple[Effects, Effects]  # what a function tells others; what it read
Results = Mapping[FunctionId, Result]
# Functions, the table that they read, and which of its keys have changed since the round before;
# what comes of them in any number of parts, in any order.
Analyse = Callable[[list[FunctionId], Mapping[Key, Any], Set[Key]], Iterable[Results]]


class Shard:
    """The files of one worker: their models, and the last analysis of each function."""

    def __init__(self, models: Mapping[str, FileModel], project: Project) -> None:
        self.models, self.project = models, project
        self.bodies: dict[FunctionId, Body] = {}
        self.lost: dict[FunctionId, str] = {}  # functions that could not be analysed, and why

    def functions(self) -> list[FunctionId]:
        return [(path, f.number) for path, model in self.models.items() for f in model.functions]

    def analyse(
        self, ids: Iterable[FunctionId], table: Mapping[Key, Any]
    ) -> dict[FunctionId, Result]:
        """Runs `Flow` over these functions; a function whose analysis fails tells nothing."""
        results: dict[FunctionId, Result] = {}
        news: dict[str, Effects] = {}
        for path, number in ids:
            if path not in self.models:
                continue
            result = self._one(path, number, View(table, news.setdefault(path, {})))
            if result is not None:
                results[path, number] = result
        return results

    def _one(self, path: str, number: int, view: View) -> Result | None:
        model = self.models[path]
        try:
            body, effects = Flow(model, model.functions[number], self.project, view).run()
        except RecursionError:
            self.lost[path, number] = "too deep to analyse"
            return None
        except Exception:  # a fault of ours costs one function, not the run
            self.lost[path, number] = last_line()
            return None
        if (path, number) in self.bodies:
            self.bodies[path, number].forget()
        self.bodies[path, number] = body
        for key, value in effects.items():
            if key not in view.table:
                old = view.news.get(key)
                view.news[key] = value if old is None else merge(key, old, value)
        return effects, view.reads

    def finish(self, usage: Usage) -> None:
        """Tells the analysed functions who runs them, and how often."""
        for body in self.bodies.values():
            for part in (body, body.aside):
                if part is not None:
                    part.usage = usage


class Fixpoint:
    """Collects what functions tell, and says which ones have to be analysed again."""

    def __init__(self, seeds: Mapping[Key, Any]) -> None:
        self.table: dict[Key, Any] = dict(seeds)
        self.changed: set[Key] = set(seeds)  # since the last round
        self.seeds = dict(seeds)
        self.told: dict[Key, dict[FunctionId, Any]] = {}
        self.effects: dict[FunctionId, Effects] = {}
        self.readers: dict[Key, set[FunctionId]] = {}
        self.reads: dict[FunctionId, Effects] = {}

    def take(self, parts: Iterable[Results]) -> set[FunctionId]:
        """Takes in one round; returns the functions that may have read what has changed."""
        touched: set[Key] = set()
        stale: set[FunctionId] = set()
        for results in parts:
            stale.update(results)
            for fid, (effects, reads) in results.items():
                touched |= self._replace(fid, effects)
                self._now_reads(fid, reads)
        self.changed = set()
        for key in touched:
            value = self._joined(key)
            if value != self.table.get(key):
                self.changed.add(key)
                if value is None:
                    del self.table[key]
                else:
                    self.table[key] = value
                stale |= self.readers.get(key, set())
        return stale

    def outdated(self, fid: FunctionId) -> bool:
        return any(not _same(value, self.table.get(key)) for key, value in self.reads[fid].items())

    def _now_reads(self, fid: FunctionId, reads: Effects) -> None:
        for key in self.reads.get(fid, {}):
            if key not in reads:
                self.readers[key].discard(fid)
        for key in reads:
            self.readers.setdefault(key, set()).add(fid)
        self.reads[fid] = reads

    def _replace(self, fid: FunctionId, effects: Effects) -> set[Key]:
        old = self.effects.get(fid, {})
        touched = {key for key in old if key not in effects}
        for key in touched:
            del self.told[key][fid]
        for key, value in effects.items():
            if key not in old or old[key] != value:
                self.told.setdefault(key, {})[fid] = value
                touched.add(key)
        self.effects[fid] = effects
        return touched

    def _joined(self, key: Key) -> Any:
        told = self.told.get(key, {})
        value = self.seeds.get(key)
        for fid in sorted(told):
            value = told[fid] if value is None else merge(key, value, told[fid])
        return value


def settle(
    waves: Iterable[list[FunctionId]], seeds: Mapping[Key, Any], analyse: Analyse
) -> dict[Key, Any]:
    """All that functions tell each other, when nothing changes any more.

    A function that does not settle by itself is left as it is after `MAX_RUNS`.

    The first round goes in waves, imported files before those that import them, and those after it
    from the callers down, so that few functions have to be analysed again.
    """
    state = Fixpoint(seeds)
    pending: set[FunctionId] = set()
    rank: dict[FunctionId, int] = {}
    for wave in waves:
        rank.update((fid, len(rank) + place) for place, fid in enumerate(wave))
        pending.update(state.take(analyse(wave, state.table, state.changed)))
    runs: Counter[FunctionId] = Counter()
    while stale := {fid for fid in pending if runs[fid] < MAX_RUNS and state.outdated(fid)}:
        ready = {fid for fid in stale if not _waits(fid, stale, state.told, rank)}
        ordered = sorted(ready, key=rank.__getitem__)
        runs.update(ordered)
        pending = (stale - ready) | state.take(analyse(ordered, state.table, state.changed))
    return state.table


def _waits(
    fid: FunctionId, stale: Set[FunctionId], told: Mapping[Key, Any], rank: Mapping[FunctionId, int]
) -> bool:
    """A function that calls it is about to be analysed again, and may tell it something new."""
    own = rank[fid]
    return any(
        caller in stale and rank[caller] > own
        for word in ("called", "within", "traced")
        for caller in told.get((word, fid), ())
    )


def waves(project: Project) -> list[list[FunctionId]]:
    """All functions, file by file, imported files first; no file of a wave imports another.

    Within a file a function comes after those that it calls and after the one around it.
    """
    depth = project.import_depths()
    found: dict[int, list[FunctionId]] = {}
    for path, summary in project.summaries.items():
        ids = found.setdefault(depth[path], [])
        ids.extend((path, number) for number in _callees_first(summary))
    return [found[level] for level in sorted(found)]


def _callees_first(summary: Summary) -> list[int]:
    order: dict[int, None] = {}
    entered: set[int] = set()
    for start in range(len(summary.functions)):
        stack = [start]
        while stack:
            number = stack[-1]
            function = summary.functions[number]
            before = sorted({function.outer, *function.uses} - entered - {number})
            if number not in entered:
                entered.add(number)
                stack.extend(reversed(before))
                continue
            stack.pop()
            order.setdefault(number)
    return list(order)


def _same(read: Any, now: Any) -> bool:
    """Nothing known before and nothing worth knowing now is no news."""
    return read == now or (read is None and now in _NOTHING) or (now is None and read in _NOTHING)


_NOTHING = (UNKNOWN, UNKNOWN._replace(maybe=True))
