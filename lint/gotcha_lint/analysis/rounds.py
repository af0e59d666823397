"""From files to analysed functions: rounds of `Flow` until what functions tell each other settles.

All files of a round see the table of the round before, so that the outcome does not depend on the
order of files or on how they are shared among workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

from gotcha_lint.analysis.asked import Asked
from gotcha_lint.analysis.flow import Flow
from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.summary import Summary
from gotcha_lint.analysis.tables import Effects, Key, View, merge
from gotcha_lint.analysis.usage import UNTOLD, Usage
from gotcha_lint.analysis.values import UNKNOWN, FunctionId
from gotcha_lint.output.last_line import last_line

MAX_RUNS = 12  # of one function after the first: recursion could go on for ever
Result = tuple[Effects, Effects]  # what a function tells others; what it read
Results = Mapping[FunctionId, Result]
# Functions, the table that they read, and which of its keys have changed since the round before;
# what comes of them in any number of parts, in any order.
Analyse = Callable[[list[FunctionId], Mapping[Key, Any], Set[Key]], Iterable[Results]]


class Shard:
    """The files of one worker, and the last analysis of each function.

    `known` are results of earlier runs; where it is None, nothing is noted for the next one. What a
    function tells follows from its file, from what its file asked of the project, and from what it
    reads of others: where that is as it was then, it is not analysed again, nor is its file read,
    until a rule wants to see it.
    """

    def __init__(
        self,
        model_of: Callable[[str], FileModel | None],
        project: Project,
        known: Mapping[FunctionId, Sequence[Result]] | None = None,
    ) -> None:
        self.model_of, self.project = model_of, project
        self.known = known or {}
        self._notes = known is not None  # for the next run
        self.bodies: dict[FunctionId, Body] = {}
        self.asked: dict[str, Asked] = {}  # of the project, by the analysis of each file
        self.lost: dict[FunctionId, str] = {}  # functions that could not be analysed, and why
        self._reads: dict[FunctionId, Effects] = {}  # of those that have no body, for `body`
        self._usage = UNTOLD

    def analyse(
        self, ids: Iterable[FunctionId], table: Mapping[Key, Any]
    ) -> dict[FunctionId, Result]:
        """Runs `Flow` over these functions; a function whose analysis fails tells nothing."""
        results: dict[FunctionId, Result] = {}
        news: dict[str, Effects] = {}
        for fid in ids:
            view = View(table, news.setdefault(fid[0], {}))
            result = self._as_before(fid, view) or self._run(fid, view)
            if result is not None:
                results[fid] = result
                _spread(result[0], view)
        self.project.asked = Asked()  # what is asked from here on is on behalf of no file
        return results

    def _as_before(self, fid: FunctionId, view: View) -> Result | None:
        for result in self.known.get(fid, ()):
            if view.shows(result[1]):
                self._forget(fid)
                self._reads[fid] = result[1]
                return result
        return None

    def _run(self, fid: FunctionId, view: View) -> Result | None:
        model = self.model_of(fid[0])
        if model is None:
            return None
        asked = self.asked.setdefault(fid[0], Asked()) if self._notes else Asked()
        self.project.asked = asked
        try:
            body, effects = Flow(model, model.functions[fid[1]], self.project, view).run()
        except RecursionError:
            self.lost[fid] = "too deep to analyse"
            return None
        except Exception:  # a fault of ours costs one function, not the run
            self.lost[fid] = last_line()
            return None
        self._forget(fid)
        self._reads.pop(fid, None)
        self.bodies[fid] = body
        tell(body, self._usage)
        return effects, view.reads

    def _forget(self, fid: FunctionId) -> None:
        body = self.bodies.pop(fid, None)
        if body is not None:
            body.forget()

    def body(self, fid: FunctionId) -> Body | None:
        """The last analysis of a function, done again where only its results were known."""
        if fid not in self.bodies and fid in self._reads:
            self._run(fid, View(self._reads[fid], {}))
        return self.bodies.get(fid)

    def finish(self, usage: Usage) -> None:
        """The rounds are over."""
        self._usage = usage
        for body in self.bodies.values():
            tell(body, usage)


def _spread(effects: Effects, view: View) -> None:
    """The functions that follow in the file see at once what nobody else has told."""
    for key, value in effects.items():
        if key not in view.table:
            old = view.news.get(key)
            view.news[key] = value if old is None else merge(key, old, value)


def tell(body: Body, usage: Usage) -> None:
    """Tells an analysed function who runs it, and how often."""
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
    depth = project.imported.depths()
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
