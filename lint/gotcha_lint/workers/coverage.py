"""`--coverage`: how many of the transforms' functions were found, and which were not."""

from __future__ import annotations

from dataclasses import dataclass

from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.workers.pipeline import Run


@dataclass(frozen=True, slots=True)
class Unresolved:
    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """Transform sites of the asked files; a site is resolved when its function is known."""

    sites: int
    unresolved: tuple[Unresolved, ...]

    @property
    def resolved(self) -> int:
        return self.sites - len(self.unresolved)

    @property
    def share(self) -> float:
        return self.resolved / self.sites if self.sites else 1.0


def measure(run: Run) -> Coverage:
    """Looks at every call of a transform that is given a function."""
    shard = run.pool.local()
    asked = set(run.workspace.asked)
    total, unresolved = 0, []
    for fid, body in shard.bodies().items():
        if fid[0] not in asked:
            continue
        for call in body.of(Call):
            known = _resolved(run, call)
            if known is None:
                continue
            total += 1
            if not known:
                start, _ = shard.positions(fid[0]).span(call.node)
                line = shard.sources[fid[0]].position(start)[0]
                unresolved.append(Unresolved(fid[0], line, source_of(call.node)))
    return Coverage(total, tuple(sorted(unresolved, key=lambda u: (u.path, u.line))))


def _resolved(run: Run, call: Call) -> bool | None:
    """Whether the function is known; None where this is no transform of a function."""
    row = run.project.facts.get(call.name).transform if call.name else None
    if row is None:
        return None
    given = [call.args[p] for p in row.functions if p < len(call.args)]
    given += [call.kwargs[name] for name in row.names if name in call.kwargs]
    if not given:
        return None
    return all(map(_known, given))


def _known(value: Value) -> bool:
    if value.kind in (Kind.LIST, Kind.TUPLE):
        return bool(value.items) and all(map(_known, value.items))
    if value.kind is Kind.FUNCTION:
        return bool(value.targets or value.of or value.param)
    return value.kind in (Kind.NAMED, Kind.CLASS, Kind.OBJECT) or bool(value.param)
