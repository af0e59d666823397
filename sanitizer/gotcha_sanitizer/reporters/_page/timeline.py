"""When what was compiled: a lane for each function, binned, so that a storm stays a small page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from gotcha_sanitizer.record import Json, Run, row_key
from gotcha_sanitizer.reporters._page.axis import times
from gotcha_sanitizer.reporters._page.markup import Markup, join, tag
from gotcha_sanitizer.words import plural, seconds, short

_LANES = 12
_BINS = 300
_LEFT, _WIDTH, _LANE, _TOP = 290, 1200, 24, 6
_KINDS = ("again", "first", "cached")  # the first that a bin has colours it


@dataclass
class _Bin:
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_KINDS, 0))
    seconds: float = 0.0
    worst: float = -1.0
    why: str = ""

    def add(self, program: Json, kind: str, part: float) -> None:
        took = sum(program["seconds"].values())
        self.counts[kind] += 1
        self.seconds += part
        if took > self.worst:
            self.worst, self.why = took, "; ".join(program["why"]) or program["shapes"]


def timeline(run: Run) -> Markup:
    """The section; nothing where nothing was compiled."""
    if not run.programs:
        return Markup("")
    lanes = _lanes(run)
    end = max(run.last, *(program["at"] for program in run.programs)) or 1.0
    height = _TOP + _LANE * len(lanes) + 26
    drawing = tag(
        "svg",
        _axis(end, height),
        *(_lane(i, name, programs, end) for i, (name, programs) in enumerate(lanes)),
        viewBox=f"0 0 {_WIDTH} {height}",
        role="img",
        aria_label=f"Timeline of {plural(len(run.programs), 'compiled program')} over "
        f"{seconds(end)}; the table below has the same numbers",
    )
    return tag(
        "section",
        tag("h2", "When it compiled"),
        tag("div", drawing, _legend(), class_="card"),
        id="timeline",
    )


def _kind(program: Json) -> str:
    if program["cached"] is True:
        return "cached"
    return "again" if program["causes"] else "first"


def _lanes(run: Run) -> list[tuple[str, list[Json]]]:
    """The functions that took longest, the rest together; jitted functions before operations."""
    groups: dict[object, list[Json]] = defaultdict(list)
    for program in run.programs:
        groups[row_key(program)[:3] if not program["eager"] else "operations"].append(program)
    operations = groups.pop("operations", [])
    ranked = sorted(groups.values(), key=lambda programs: -_spent(programs))
    lanes = [(_name(programs[0]), programs) for programs in ranked[:_LANES]]
    if rest := ranked[_LANES:]:
        lanes.append((f"{len(rest)} other functions", [p for group in rest for p in group]))
    if operations:
        lanes.append(("operations outside of jit", operations))
    return lanes


def _spent(programs: Iterable[Json]) -> float:
    return sum(sum(program["seconds"].values()) for program in programs)


def _name(program: Json) -> str:
    _, path, line, _ = row_key(program)
    return f"{program['function']} ({short(path)}:{line})"


def _lane(number: int, name: str, programs: list[Json], end: float) -> Markup:
    top = _TOP + number * _LANE
    bins: dict[int, _Bin] = defaultdict(_Bin)
    for program in programs:
        kind = _kind(program)
        took = sum(program["seconds"].values())
        last = min(int(program["at"] / end * _BINS), _BINS - 1)
        first = max(0, min(int((program["at"] - took) / end * _BINS), last))
        for index in range(first, last + 1):
            bins[index].add(program, kind, took / (last - first + 1))
    return tag(
        "g",
        tag("title", name),
        tag("text", _cut(name), x=0, y=top + 16),
        *(_rectangle(index, found, top, end) for index, found in sorted(bins.items())),
    )


def _rectangle(index: int, found: _Bin, top: int, end: float) -> Markup:
    width = (_WIDTH - _LEFT) / _BINS
    kind = next(kind for kind in _KINDS if found.counts[kind])
    at = seconds(index / _BINS * end)
    words = {"again": "compiled again", "first": "compiled first", "cached": "from the cache"}
    counts = ", ".join(f"{n} {words[kind]}" for kind, n in found.counts.items() if n)
    return tag(
        "rect",
        tag("title", f"at {at}: {counts}, {seconds(found.seconds)}; {found.why[:160]}"),
        x=f"{_LEFT + index * width:.1f}",
        y=top + 3,
        width=f"{width:.1f}",
        height=_LANE - 7,
        class_=kind,
    )


def _cut(name: str, most: int = 34) -> str:
    return name if len(name) <= most else f"…{name[1 - most :]}"


def _axis(end: float, height: int) -> Markup:
    parts = []
    for at in times(end, 10):
        x = f"{_LEFT + at / end * (_WIDTH - _LEFT):.1f}"
        parts.append(tag("line", x1=x, x2=x, y1=_TOP, y2=height - 22, class_="axis"))
        label = seconds(at) if at else "0"
        anchor = "end" if at > 0.97 * end else "middle"
        parts.append(tag("text", label, x=x, y=height - 6, text_anchor=anchor, class_="soft"))
    return join(parts)


def _legend() -> Markup:
    words = {
        "first": "compiled for the first time",
        "again": "compiled again",
        "cached": "from the persistent cache",
    }
    items = (
        tag(
            "li",
            tag("svg", tag("rect", width=14, height=10, class_=kind), aria_hidden="true"),
            text,
        )
        for kind, text in words.items()
    )
    return tag("ul", *items, class_="legend")
