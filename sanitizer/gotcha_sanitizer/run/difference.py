"""What one run compiled, and was found to do wrong, that another did not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TypeVar

from gotcha_sanitizer.run.record import Json, Run
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.rows import STAGES, Row, row_key

T = TypeVar("T")


@dataclass(frozen=True)
class Change:
    """One function in both runs; `before` or `after` is None where it was not compiled."""

    before: Row | None
    after: Row | None
    lost_hits: tuple[str, ...] = ()  # why programs that were in the persistent cache are not now

    @property
    def row(self) -> Row:
        row = self.after or self.before
        assert row is not None
        return row

    @property
    def compiles(self) -> int:
        return int(_of(self.after, "compiles") - _of(self.before, "compiles"))

    @property
    def seconds(self) -> float:
        return _of(self.after, "total") - _of(self.before, "total")

    @property
    def causes(self) -> dict[str, int]:
        """How much more often each cause was seen."""
        old = self.before.causes if self.before else {}
        new = self.after.causes if self.after else {}
        counts = {cause: new.get(cause, 0) - old.get(cause, 0) for cause in {**old, **new}}
        return {cause: count for cause, count in counts.items() if count}


@dataclass(frozen=True)
class Difference:
    """From run A to run B."""

    before: Run
    after: Run
    changes: tuple[Change, ...]  # the largest first
    new: tuple[Finding, ...]
    gone: tuple[Finding, ...]
    settings: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # versions that differ

    @property
    def compiles(self) -> int:
        return self.after.count("compiles") - self.before.count("compiles")

    @property
    def seconds(self) -> float:
        return _spent(self.after) - _spent(self.before)

    @property
    def lost_hits(self) -> int:
        return sum(len(change.lost_hits) for change in self.changes)

    @property
    def nothing(self) -> bool:
        """Whatever is compared is the same but for the seconds, which never are."""
        return not (self.compiles or self.changes or self.new or self.gone or self.settings)


def compare(before: Run, after: Run) -> Difference:
    """Functions are matched by place, then by name and file: lines move between two versions."""
    pairs = _matched(
        before.rows.values(),
        after.rows.values(),
        _key,
        lambda row: (row.function, PurePath(row.path).name, row.eager),
    )
    settings = _settings(before, after)
    lost = _lost(before, after, settings)
    changes = [Change(a, b, tuple(lost.get(_key(b), ()) if b else ())) for a, b in pairs]
    changes = [c for c in changes if c.compiles or c.lost_hits or c.before is None or c.causes]
    found = _matched(
        before.problems,
        after.problems,
        lambda finding: finding.id,
        lambda finding: (finding.name, finding.function, finding.cause, _file(finding)),
    )
    return Difference(
        before,
        after,
        tuple(sorted(changes, key=lambda c: (-abs(c.seconds), c.row.function))),
        tuple(b for a, b in found if a is None and b is not None),
        tuple(a for a, b in found if b is None and a is not None),
        settings,
    )


def _of(row: Row | None, name: str) -> float:
    return getattr(row, name) if row is not None else 0


def _key(row: Row) -> tuple[str, str, int, str]:
    return row.function, row.path, row.line, row.eager


def _spent(run: Run) -> float:
    return sum(run.total(stage) for stage in STAGES)


def _file(finding: Finding) -> str:
    return PurePath(finding.site.path).name if finding.site else ""


def _matched(
    old: Iterable[T], new: Iterable[T], *keys: Callable[[T], Hashable]
) -> list[tuple[T | None, T | None]]:
    """Pairs by the first key, then what is left by the next; each is used once."""
    left, right = list(old), list(new)
    pairs: list[tuple[T | None, T | None]] = []
    for key in keys:
        waiting: dict[Hashable, list[T]] = defaultdict(list)
        for each in left:
            waiting[key(each)].append(each)
        rest = []
        for each in right:
            if found := waiting[key(each)]:
                pairs.append((found.pop(0), each))
            else:
                rest.append(each)
        left, right = [each for kept in waiting.values() for each in kept], rest
    return pairs + [(each, None) for each in left] + [(None, each) for each in right]


def _settings(before: Run, after: Run) -> dict[str, tuple[str, str]]:
    found = {}
    for name in ("jax", "python", "platform"):
        old, new = str(before.start.get(name, "?")), str(after.start.get(name, "?"))
        if old != new:
            found[name] = (old, new)
    return found


def _lost(
    before: Run, after: Run, settings: Mapping[str, tuple[str, str]]
) -> dict[tuple[str, str, int, str], list[str]]:
    """By row of `after`: programs compiled there that the persistent cache had in `before`."""
    hits: dict[tuple[str, str], list[str]] = defaultdict(list)
    for program in before.programs:
        if program["cached"] is True:
            hits[_loosely(program)].append(program["shapes"])
    lost: dict[tuple[str, str, int, str], list[str]] = defaultdict(list)
    cold = _started_cold(after)
    for program in after.programs:
        known = hits[_loosely(program)]
        if program["cached"] is not True and "compile" in program["seconds"] and known:
            why = _why_lost(program, known, cold, settings)
            lost[row_key(program)].append(why)
            known.remove(program["shapes"] if program["shapes"] in known else known[-1])
    return lost


def _started_cold(run: Run) -> bool:
    """True where the cache gave nothing but what this run itself had stored before."""
    seen: set[tuple[object, ...]] = set()
    jitted = [program for program in run.programs if not program["eager"]]
    for program in jitted or run.programs:  # what tells operations apart is not in their arguments
        what = (*_loosely(program), program["shapes"])
        if program["cached"] is True and what not in seen:
            return False
        seen.add(what)
    return True


def _loosely(program: Json) -> tuple[str, str]:
    function, path, _, _ = row_key(program)
    return function, PurePath(path).name


def _why_lost(
    program: Json, known: list[str], cold: bool, settings: Mapping[str, tuple[str, str]]
) -> str:
    if program["cached"] is None:
        return "this run had no persistent cache"
    if "jax" in settings:
        return f"another JAX: {settings['jax'][0]} -> {settings['jax'][1]}"
    if cold:
        return "nothing was found in the cache: another folder, or it was emptied"
    if program["shapes"] not in known:
        return f"other arguments: {known[-1]} -> {program['shapes']}"
    return f"same arguments ({program['shapes']}): the code, a constant or an option differs"
