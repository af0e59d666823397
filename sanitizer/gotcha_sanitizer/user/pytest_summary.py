"""The section that `pytest --gotcha` writes at the end, and a worker's record of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from gotcha_sanitizer import old_python
from gotcha_sanitizer.values.finding import from_dict
from gotcha_sanitizer.values.words import place, plural, seconds

_MOST = 10


@dataclass(frozen=True)
class Test:
    """What one test did. `operations` were compiled outside of jit; `left` is what it changed."""

    __test__ = False  # not for pytest to collect

    name: str
    compiles: int = 0
    operations: int = 0
    seconds: float = 0.0
    findings: list[dict[str, Any]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    shared: str = ""


def pack(tests: Sequence[Test], degraded: Mapping[str, str]) -> str:
    """For xdist, which carries plain values from a worker to its controller."""
    return json.dumps({"tests": [asdict(t) for t in tests], "degraded": degraded}, default=str)


def unpack(text: str) -> tuple[list[Test], dict[str, str]]:
    data = json.loads(text)
    return [Test(**test) for test in data["tests"]], data["degraded"]


def lines(tests: Sequence[Test], degraded: Mapping[str, str], lost: Sequence[str]) -> Iterator[str]:
    """The section, most expensive tests first."""
    busy = sorted((t for t in tests if t.compiles or t.operations), key=lambda t: -t.seconds)
    total = sum(t.compiles for t in tests)
    others = sum(t.operations for t in tests)
    spent = seconds(sum(t.seconds for t in tests))
    yield (
        f"{plural(total, 'compile')} of jitted functions and {others} of operations outside of "
        f"jit took {spent}, in {len(busy)} of {plural(len(tests), 'test')}"
    )
    for test in busy[:_MOST]:
        yield f"  {seconds(test.seconds):>8}  {test.compiles:>3} + {test.operations:<3} {test.name}"
    if (more := len(busy) - _MOST) > 0:
        yield f"  and {plural(more, 'more test')}"
    yield from _findings(tests)
    for test in tests:
        if test.left:
            yield f"left changed by {test.name}: {'; '.join(test.left)}"
    for test in tests:
        if test.shared:
            yield f"{test.name} depends on another test: {test.shared}; see --gotcha-fresh"
    yield from old_python.lines(degraded)
    for worker in lost:
        yield f"degraded: worker {worker} ended without a record: its tests are not counted here"


def _findings(tests: Sequence[Test]) -> Iterator[str]:
    """Each finding once, with the tests that made it."""
    found: dict[str, dict[str, Any]] = {}
    where: dict[str, list[str]] = {}
    for test in tests:
        for each in test.findings:
            found[each["id"]] = each
            where.setdefault(each["id"], []).append(test.name)
    for key, data in found.items():
        finding = from_dict(data)
        cause = f" ({finding.cause})" if finding.cause else ""
        yield f"{finding.name}{cause} at {place(finding.site)}: {finding.message}"
        if finding.advice:
            yield f"    fix: {finding.advice}"
        names = where[key]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        yield f"    in {', '.join(names[:3])}{more}"
